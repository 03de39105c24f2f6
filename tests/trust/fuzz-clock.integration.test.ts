import { expect, test } from 'vitest'
import corpus from '../../bench/fuzz-clock/corpus.json' with { type: 'json' }
import { generateClockCase, type ClockCase } from '../../bench/fuzz-clock/random-cases.ts'
import { runClockCase } from '../../bench/fuzz-clock/run-case.ts'
import { runClockFuzz } from '../../bench/fuzz-clock/run-fuzz.ts'

const SEED = 1
/** The nightly tier sets TOUCHSTONE_LONG, and runs cases for a limited time instead of a small number of cases. */
const IS_LONG = process.env['TOUCHSTONE_LONG'] === '1'

test('every advance of a clock returns and writes the responses that are due', { timeout: 1_800_000 }, async () => {
  const limits = IS_LONG ? { seconds: 300, maxCases: Infinity } : { seconds: Infinity, maxCases: 20 }
  const { failures } = await runClockFuzz({ seed: SEED, first: 0, ...limits })
  const replays = failures.map(
    ({ number, failure }) => `npm run bench:fuzz-clock -- --seed ${SEED} --only ${number}: ${failure}`,
  )
  expect(replays).toEqual([])
})

// The cast is safe: the file contains cases that the fuzzer found, with the fields of ClockCase.
test.each(corpus as readonly ClockCase[])('a case that failed in an earlier version succeeds: %j', async (found) => {
  expect(await runClockCase(found)).toBeUndefined()
})

test('the same seed and number generate the same case', () => {
  expect(generateClockCase(SEED, 5)).toEqual(generateClockCase(SEED, 5))
  expect(generateClockCase(SEED, 5)).not.toEqual(generateClockCase(SEED, 6))
})
