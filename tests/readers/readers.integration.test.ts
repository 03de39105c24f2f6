import { afterAll, beforeAll, expect, test } from 'vitest'
import { runGeneratedCases } from '../../bench/fuzz-clock/run-fuzz.ts'
import { readFuzzLimits } from '../fuzz-limits.ts'
import corpus from './corpus.json' with { type: 'json' }
import { generateReaderCase, type ReaderCase } from './generate-case.ts'
import { Readers } from './run-case.ts'

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
  const limits = readFuzzLimits(150)
  const tested = {
    name: 'readers',
    generate: generateReaderCase,
    run: (generated: ReaderCase) => readers.run(generated),
  }
  const { cases, failures } = await runGeneratedCases(tested, limits)
  process.stderr.write(`readers: ${cases} cases with seed ${limits.seed}\n`)
  expect(failures.map(({ number, failure }) => ({ failure, found: generateReaderCase(limits.seed, number) }))).toEqual(
    [],
  )
})
