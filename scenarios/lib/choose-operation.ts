import { LOAD_OPERATIONS, type LoadOperation } from './load-operation.ts'
import { draw } from './draw.ts'
import type { LoadSettings } from './load-settings.ts'

/** Share of each operation in mixed traffic, where nothing else is asked for. */
const USUAL_WEIGHTS: NonNullable<LoadSettings['weights']> = {
  'chat-stream': 12,
  chat: 3,
  models: 1,
  images: 1,
  transcriptions: 1,
  speech: 2,
}

/** The operation of a request of mixed traffic: by chance in the proportion of the weights, and the same for a seed and an index. */
export function chooseOperation(
  { weights = USUAL_WEIGHTS, seed }: Pick<LoadSettings, 'weights' | 'seed'>,
  index: number,
): LoadOperation {
  const shares = LOAD_OPERATIONS.map((name) => [name, weights[name] ?? 0] as const)
  const total = shares.reduce((sum, [, weight]) => sum + weight, 0)
  let rest = draw(seed, 'operation', index) * total
  const chosen = shares.find(([, weight]) => (rest -= weight) < 0)
  if (chosen === undefined) throw new Error('Weights have to add up to more than 0.')
  return chosen[0]
}

/** The operation of a request where one comes after the other. */
export function operationInTurn(index: number): LoadOperation {
  return LOAD_OPERATIONS[index % LOAD_OPERATIONS.length] ?? 'models'
}

/** Content events after which a client leaves, from 1 to `most`: the same for a seed and an index. */
export function chooseLeaving(most: number, seed: number, index: number): number {
  return 1 + Math.floor(draw(seed, 'leaving', index) * most)
}
