import { LOAD_OPERATIONS, type LoadOperation } from './load-operation.ts'
import { draw } from './draw.ts'

/** Share of each operation in mixed traffic, where nothing else is asked for. */
export const USUAL_WEIGHTS: Readonly<Partial<Record<LoadOperation, number>>> = {
  'chat-stream': 12,
  chat: 3,
  models: 1,
  images: 1,
  transcriptions: 1,
  speech: 2,
}

/** The operation of a request of mixed traffic: by chance in the proportion of the weights, and the same for a seed and an index. */
export function chooseOperation(
  weights: Readonly<Partial<Record<LoadOperation, number>>>,
  seed: number,
  index: number,
): LoadOperation {
  const shares = LOAD_OPERATIONS.map((name) => [name, weights[name] ?? 0] as const)
  const total = shares.reduce((sum, [, weight]) => sum + weight, 0)
  let rest = draw(seed, 'operation', index) * total
  const chosen = shares.find(([, weight]) => (rest -= weight) < 0)
  if (chosen === undefined) throw new Error('Weights have to add up to more than 0.')
  return chosen[0]
}

/** Content events after which a client leaves, from 1 to `most`: the same for a seed and an index. */
export function chooseLeaving(most: number, seed: number, index: number): number {
  return 1 + Math.floor(draw(seed, 'leaving', index) * most)
}
