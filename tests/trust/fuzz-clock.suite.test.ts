import { expect, test } from 'vitest'
import corpus from '../../bench/fuzz-clock/corpus.json' with { type: 'json' }
import { generateClockCase, type ClockCase } from '../../bench/fuzz-clock/random-cases.ts'
import { runClockCase } from '../../bench/fuzz-clock/run-case.ts'
import { runGeneratedCases } from '../../bench/fuzz-clock/run-fuzz.ts'
import { readFuzzLimits } from '../fuzz-limits.ts'

const LIMITS = readFuzzLimits(20)
const { seed } = LIMITS

test('every advance of a clock returns and writes the responses that are due', { timeout: 1_800_000 }, async () => {
  const tested = { name: 'fuzz-clock', generate: generateClockCase, run: runClockCase }
  const { failures } = await runGeneratedCases(tested, LIMITS)
  const replays = failures.map(
    ({ number, failure }) => `npm run bench:fuzz-clock -- --seed ${seed} --only ${number}: ${failure}`,
  )
  expect(replays).toEqual([])
})

// The cast is safe: the file contains cases that the fuzzer found, with the fields of ClockCase.
test.each(corpus as readonly ClockCase[])('a case that failed in an earlier version succeeds: %j', async (found) => {
  expect(await runClockCase(found)).toBeUndefined()
})

test('the same seed and number generate the same case', () => {
  expect(generateClockCase(seed, 5)).toEqual(generateClockCase(seed, 5))
  expect(generateClockCase(seed, 5)).not.toEqual(generateClockCase(seed, 6))
})
