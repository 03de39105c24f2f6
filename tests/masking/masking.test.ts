import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findVisibleRuns } from '../../common/secrets/testing/encodings.ts'
import corpus from './corpus.json' with { type: 'json' }
import { maskingCase, type MaskingCase, writeCase } from './masking-case.ts'

const IS_LONG = process.env['TOUCHSTONE_LONG'] === '1'
/** Time for which the nightly tier generates cases. `TOUCHSTONE_FUZZ_SEED` repeats the cases of an earlier run. */
const FUZZ_SECONDS = Number(process.env['TOUCHSTONE_FUZZ_SECONDS'] ?? 600)
const FUZZ_SEED = process.env['TOUCHSTONE_FUZZ_SEED']

function findVisible(masked: MaskingCase): string[] {
  const { texts, encoded } = writeCase(masked)
  return texts.flatMap((text) => findVisibleRuns(text, encoded))
}

// The cast is safe: the corpus contains cases that an earlier run generated.
test.each(corpus as readonly MaskingCase[])('masks the case that an earlier version did not mask: %j', (masked) => {
  expect(findVisible(masked)).toEqual([])
})

test('masks generated echoes in reports and recordings', () => {
  const limits = IS_LONG ? { numRuns: Infinity, interruptAfterTimeLimit: FUZZ_SECONDS * 1000 } : { numRuns: 100 }
  const seed = FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) }
  const result = fc.check(
    fc.property(maskingCase, (masked) => findVisible(masked).length === 0),
    { ...limits, ...seed },
  )
  if (IS_LONG) process.stderr.write(`masking: ${result.numRuns} cases with seed ${result.seed}\n`)
  expect(result.counterexample).toBeNull()
})
