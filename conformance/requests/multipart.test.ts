import { Busboy } from '@fastify/busboy'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FormValue } from './api-request.ts'
import { getInputCount, LONG_TEST_TIMEOUT_MS } from '../testing/generated-inputs.ts'
import { encodeMultipart } from './multipart.ts'

/** Parses a form with busboy. Returns the parts in their order. */
function parse(body: Uint8Array, mediaType: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const parts: unknown[] = []
    const busboy = new Busboy({ headers: { 'content-type': mediaType }, preservePath: true })
    busboy.on('field', (name, value) => parts.push([name, value]))
    busboy.on('file', (name, stream, filename, _encoding, type) => {
      const part: unknown[] = [name, filename, type]
      parts.push(part)
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => part.push(Buffer.concat(chunks).toString('hex')))
    })
    busboy.on('error', reject)
    busboy.on('finish', () => resolve(parts))
    busboy.end(body)
  })
}

/** Names of fields and files. None contains a backslash, because parsers treat backslashes differently. */
const NAMES = ['model', 'file', 'a b', 'language[]', 'grüße', 'x=y;z', "it's"]
const ODD_NAMES = [
  ['a"b', 'a%22b'],
  ['a\r\nb', 'a%0D%0Ab'],
] as const

const name = fc.constantFrom(...NAMES, ...ODD_NAMES.map(([given]) => given))
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\r\n', '--', '\r\n--touchstone-', '\0', ''))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.constantFrom('', '\r\n--', '\r\n--touchstone-\r\n\r\n', '--touchstone-0--').map((part) => Buffer.from(part)),
)
const value: fc.Arbitrary<FormValue> = fc.oneof(
  text,
  fc.record({ bytes, filename: name, mediaType: fc.constantFrom('audio/wav', 'audio/mpeg', 'text/plain') }),
)

function decodeName(given: string): string {
  return ODD_NAMES.find(([odd]) => odd === given)?.[1] ?? given
}

function expectedPart([field, part]: readonly [string, FormValue]): unknown[] {
  if (typeof part === 'string') return [decodeName(field), part]
  return [decodeName(field), decodeName(part.filename), part.mediaType, Buffer.from(part.bytes).toString('hex')]
}

test('encodes forms that busboy parses to the same parts', { timeout: LONG_TEST_TIMEOUT_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(name, value), { selector: ([field]) => field, maxLength: 5 }),
      async (parts) => {
        const form = encodeMultipart(Object.fromEntries(parts))
        expect(await parse(form.body, form.mediaType)).toEqual(parts.map(expectedPart))
      },
    ),
    { numRuns: getInputCount(300) },
  )
})
