import { expect, test } from 'vitest'
import { readFuzzLimits, runGeneratedCases } from '../generated-cases.ts'
import corpus from './fuzz-clock/corpus.json' with { type: 'json' }
import { generateClockCase, type ClockCase } from './fuzz-clock/random-cases.ts'
import { runClockCase } from './fuzz-clock/run-case.ts'

test('every advance of a clock returns and writes the responses that are due', { timeout: 1_800_000 }, async () => {
  const tested = { name: 'fuzz-clock', generate: generateClockCase, run: runClockCase }
  const { failures } = await runGeneratedCases(tested, readFuzzLimits(20))
  expect(failures).toEqual([])
})

// The cast is safe: the file contains cases that the fuzzer found, with the fields of ClockCase.
test.each(corpus as readonly ClockCase[])('a case that failed in an earlier version succeeds: %j', async (found) => {
  expect(await runClockCase(found)).toBeUndefined()
})

test('the same seed and number generate the same case', () => {
  expect(generateClockCase(1, 5)).toEqual(generateClockCase(1, 5))
  expect(generateClockCase(1, 5)).not.toEqual(generateClockCase(1, 6))
})
