import { TIMED_OPERATIONS, type TimedOperation } from '../../contract/facts.ts'
import { createSeededRandom } from './seeded-random.ts'
import type { LoadSettings } from './load-settings.ts'

const DEFAULT_WEIGHTS: NonNullable<LoadSettings['weights']> = {
  'chat-stream': 12,
  chat: 3,
  models: 1,
  images: 1,
  transcriptions: 1,
  speech: 2,
}

/**
 * Chooses the operation of a request in mixed traffic at random, by weight. The result depends only on the seed and the
 * index.
 */
export function chooseOperation(
  { weights = DEFAULT_WEIGHTS, seed }: Pick<LoadSettings, 'weights' | 'seed'>,
  index: number,
): TimedOperation {
  const shares = TIMED_OPERATIONS.map((name) => [name, weights[name] ?? 0] as const)
  const total = shares.reduce((sum, [, weight]) => sum + weight, 0)
  let rest = createSeededRandom(seed, 'operation', index) * total
  const chosen = shares.find(([, weight]) => (rest -= weight) < 0)
  if (chosen === undefined) throw new Error('The sum of the weights must be more than 0.')
  return chosen[0]
}

/**
 * Returns the number of content events (1 to `max`) after which a client aborts its stream. The result depends only on
 * the seed and the index.
 */
export function chooseAbortAfterEvents(max: number, seed: number, index: number): number {
  return 1 + Math.floor(createSeededRandom(seed, 'leaving', index) * max)
}
