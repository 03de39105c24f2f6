import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findVisibleRuns } from '../../common/secrets/testing/encodings.ts'
import { readFuzzLimits } from '../generated-cases.ts'
import corpus from './corpus.json' with { type: 'json' }
import { maskingCase, type MaskingCase, writeCase } from './masking-case.ts'

function findVisible(masked: MaskingCase): string[] {
  const { texts, encoded } = writeCase(masked)
  return texts.flatMap((text) => findVisibleRuns(text, encoded))
}

// The cast is safe: the corpus contains cases that an earlier run generated.
test.each(corpus as readonly MaskingCase[])('masks the case that an earlier version did not mask: %j', (masked) => {
  expect(findVisible(masked)).toEqual([])
})

test('masks generated echoes in reports and recordings', () => {
  const { seed, seconds, maxCases } = readFuzzLimits(30)
  const limits =
    seconds === Infinity ? { numRuns: maxCases } : { numRuns: Infinity, interruptAfterTimeLimit: seconds * 1000 }
  const result = fc.check(
    fc.property(maskingCase, (masked) => findVisible(masked).length === 0),
    { ...limits, seed },
  )
  if (seconds !== Infinity) process.stderr.write(`masking: ${result.numRuns} cases with seed ${seed}\n`)
  expect(result.counterexample).toBeNull()
})
