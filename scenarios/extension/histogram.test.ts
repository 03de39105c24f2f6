import { readFileSync } from 'node:fs'
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js'
import { expect, test } from 'vitest'

/** Output of the Go test: values in microseconds, and a histogram of these values that Go encoded. */
interface EncodedFile {
  readonly valuesUs: readonly number[]
  readonly result: { readonly n: number; readonly sumMs: number; readonly maxMs: number; readonly encoded: string }
}

const path = new URL('./record/testdata/encoded.json', import.meta.url)
// The cast is safe: the Go test compares this committed file with its output.
const { valuesUs, result } = JSON.parse(readFileSync(path, 'utf8')) as EncodedFile

test('the histogram of the extension equals a TypeScript histogram of the same values', () => {
  const read = decodeFromCompressedBase64(result.encoded)
  const created = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 3_600_000_000,
    numberOfSignificantValueDigits: 4,
  })
  for (const value of valuesUs) created.recordValue(value)
  expect(read.totalCount).toBe(result.n)
  // Encoding loses the position of the maximum within its bucket, so the test also encodes and decodes the expected
  // histogram.
  const sent = decodeFromCompressedBase64(encodeIntoCompressedBase64(created))
  const shares = Array.from({ length: 101 }, (_, index) => index)
  expect(shares.map((share) => read.getValueAtPercentile(share))).toEqual(
    shares.map((share) => sent.getValueAtPercentile(share)),
  )
})

test('count, sum, minimum and maximum of a histogram are exact', () => {
  const sumUs = valuesUs.reduce((sum, value) => sum + value, 0)
  expect(result.n).toBe(valuesUs.length)
  expect(result.sumMs).toBeCloseTo(sumUs / 1000, 3)
  expect(result.maxMs).toBe(Math.max(...valuesUs) / 1000)
})
