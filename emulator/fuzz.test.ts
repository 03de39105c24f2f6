import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OPERATIONS, STATUSES } from '../contract/facts.ts'
import { startEmulator, type Emulator } from './start-emulator.ts'
import { sendRaw } from './testing/raw.ts'

/** Everything that may come back, 500 not among it. */
const EXPECTED = [200, ...STATUSES.map(({ code }) => code).filter((code) => code !== 500)]

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...Object.values(OPERATIONS).map((operation) => operation.path)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii' }).map((text) => `/v1/${encodeURI(text)}`) },
)
const junk = fc.oneof(fc.jsonValue(), fc.constantFrom(null, -1, 0, 1e300, 1.5, '', [], {}, true, '1', 2 ** 60))
const text = fc.string({ unit: 'grapheme' })
/** Mostly what is right, so that faults meet requests that are otherwise in order. */
const mostly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: junk })
const message = fc.record({ role: mostly(fc.constantFrom('user', 'system')), content: mostly(text) })
const value = {
  model: mostly(fc.constantFrom('o3-mini', 'vendorc-4o')),
  messages: mostly(fc.array(message, { minLength: 1, maxLength: 3 })),
  max_tokens: mostly(fc.integer({ min: 1, max: 300 })),
  temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
  stream: mostly(fc.boolean()),
  stream_options: junk,
  prompt: mostly(text),
  n: mostly(fc.integer({ min: 1, max: 10 })),
  size: mostly(fc.constantFrom('1x1', '256x256')),
  input: mostly(text),
  voice: mostly(text),
}
const json = fc
  .record(value, { requiredKeys: ['model', 'messages', 'prompt', 'input'] })
  .map((body) => Buffer.from(JSON.stringify(body)))

const BOUNDARY = 'frontier'
const part = fc.record({
  name: fc.oneof(fc.constantFrom('model', 'file', 'language', '__proto__'), text),
  filename: fc.option(text),
  content: fc.oneof(fc.constant(Buffer.from('o3-mini')), fc.uint8Array({ maxLength: 500 })),
})
const form = fc.array(part, { maxLength: 5 }).map((parts) => {
  const pieces = parts.map(({ name, filename, content }) => {
    const file = filename === null ? '' : `; filename="${filename}"`
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
  })
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
})

/** A body with some of its bytes cut, doubled or changed. */
const mutated = fc
  .tuple(fc.oneof(json, form), fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 8 }))
  .map(([body, from, length, patch]) => {
    const start = from % (body.length + 1)
    return Buffer.concat([body.subarray(0, start), patch, body.subarray(Math.min(body.length, start + (length % 20)))])
  })
const body = fc.oneof(json, form, mutated, fc.uint8Array({ maxLength: 2000 }))

const headerText = fc.string({ unit: 'binary-ascii', maxLength: 30 }).map((text) => text.replaceAll(/[\r\n\0]/g, ''))
const header = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'content-type: application/json',
      `content-type: multipart/form-data; boundary=${BOUNDARY}`,
    ),
  },
  { weight: 1, arbitrary: headerText.map((text) => `x-${text}`) },
  { weight: 1, arbitrary: headerText.map((text) => `content-type: ${text}`) },
  { weight: 1, arbitrary: headerText.map((text) => `expect: ${text}`) },
  { weight: 1, arbitrary: headerText.map((text) => `authorization: Bearer ${text}`) },
)

const request = fc
  .record({
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant('POST') },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'HEAD', 'QUERY') },
    ),
    path,
    headers: fc.array(header, { maxLength: 3 }),
    body,
    chunked: fc.boolean(),
  })
  .map(({ method, path, headers, body, chunked }) => {
    const fields = ['host: x', 'connection: close', 'authorization: Bearer sk-svc-touchstone-funded', ...headers]
    fields.push(chunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`)
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`, 'latin1')
    if (!chunked) return Buffer.concat([head, body])
    const chunk = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]
    return Buffer.concat([head, ...chunk, Buffer.from('0\r\n\r\n')])
  })

test(
  '5,000 random requests each get a status of the table, and the emulator lives on',
  { timeout: 120_000 },
  async () => {
    const seen = new Map<number, number>()
    for (let round = 0; round < 50; round += 1) {
      const requests = fc.sample(request, { numRuns: 100, seed: round })
      const answers = await Promise.all(requests.map((bytes) => sendRaw(emulator, bytes)))
      for (const [index, { status }] of answers.entries()) {
        seen.set(status, (seen.get(status) ?? 0) + 1)
        expect(EXPECTED, `round ${round}, request ${JSON.stringify(String(requests[index]))}`).toContain(status)
      }
    }
    expect(seen.get(200) ?? 0).toBeGreaterThan(100) // the requests are not all nonsense
    expect(emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
  },
)
