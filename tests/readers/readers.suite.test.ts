import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFuzzLimits, runGeneratedCases } from '../generated-cases.ts'
import corpus from './corpus.json' with { type: 'json' }
import { generateReaderCase, type ReaderCase } from './generate-case.ts'
import { Readers } from './run-case.ts'

/** Upper bound of the memory of the nightly run, in MB. It does not depend on the number of cases. */
const MAX_RESIDENT_MB = 900

let readers: Readers
beforeAll(async () => {
  readers = await Readers.start()
})
afterAll(() => readers[Symbol.asyncDispose]())

// The cast is safe: the corpus contains cases that the generator returned.
test.each(corpus as readonly ReaderCase[])(
  'reads the input that an earlier version did not read: %j',
  async (found) => {
    expect(await readers.run(found)).toBeUndefined()
  },
)

test('readers end with a result or a documented error for changed responses, forms and recordings', async () => {
  const limits = readFuzzLimits(60)
  const tested = {
    name: 'readers',
    generate: generateReaderCase,
    run: (generated: ReaderCase) => readers.run(generated),
  }
  let peakMb = 0
  const onCase = (): void => {
    peakMb = Math.max(peakMb, Math.round(process.memoryUsage.rss() / 1e6))
  }
  const { cases, failures } = await runGeneratedCases(tested, limits, onCase)
  if (limits.seconds !== Infinity)
    process.stderr.write(`readers: ${cases} cases with seed ${limits.seed}, peak ${peakMb} MB\n`)
  expect(failures).toEqual([])
  // In other tiers, the process also runs other tests.
  if (limits.seconds !== Infinity) expect(peakMb).toBeLessThan(MAX_RESIDENT_MB)
})
