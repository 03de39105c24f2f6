import { LOAD_OPERATIONS, type LoadOperation } from './load-operation.ts'
import { seededRandom } from './seeded-random.ts'
import type { LoadSettings } from './load-settings.ts'

/** Default share of each operation in mixed traffic. */
const DEFAULT_WEIGHTS: NonNullable<LoadSettings['weights']> = {
  'chat-stream': 12,
  chat: 3,
  models: 1,
  images: 1,
  transcriptions: 1,
  speech: 2,
}

/** Chooses the operation of a request of mixed traffic at random, by weight; determined by seed and index. */
export function chooseOperation(
  { weights = DEFAULT_WEIGHTS, seed }: Pick<LoadSettings, 'weights' | 'seed'>,
  index: number,
): LoadOperation {
  const shares = LOAD_OPERATIONS.map((name) => [name, weights[name] ?? 0] as const)
  const total = shares.reduce((sum, [, weight]) => sum + weight, 0)
  let rest = seededRandom(seed, 'operation', index) * total
  const chosen = shares.find(([, weight]) => (rest -= weight) < 0)
  if (chosen === undefined) throw new Error('Weights have to add up to more than 0.')
  return chosen[0]
}

/** Cycles through all operations. */
export function takeOperation(index: number): LoadOperation {
  return LOAD_OPERATIONS[index % LOAD_OPERATIONS.length] ?? 'models'
}

/** Number of content events after which a client aborts its stream, from 1 to `max`; determined by seed and index. */
export function chooseAbort(max: number, seed: number, index: number): number {
  return 1 + Math.floor(seededRandom(seed, 'leaving', index) * max)
}
