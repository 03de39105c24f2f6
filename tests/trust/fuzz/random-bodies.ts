import fc from 'fast-check'

export const MULTIPART_BOUNDARY = 'frontier'

const invalidValue = fc.oneof(fc.jsonValue(), fc.constantFrom(null, -1, 0, 1e300, 1.5, '', [], {}, true, '1', 2 ** 60))
const text = fc.string({ unit: 'grapheme' })
/**
 * Generates values of one field. Most are valid, so that an invalid value usually appears in an otherwise valid
 * request.
 */
const mostly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: invalidValue })
const message = fc.record({ role: mostly(fc.constantFrom('user', 'system')), content: mostly(text) })
const value = {
  model: mostly(fc.constantFrom('o3-mini', 'vendorc-4o')),
  messages: mostly(fc.array(message, { minLength: 1, maxLength: 3 })),
  max_tokens: mostly(fc.integer({ min: 1, max: 300 })),
  temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
  stream: mostly(fc.boolean()),
  stream_options: invalidValue,
  prompt: mostly(text),
  n: mostly(fc.integer({ min: 1, max: 10 })),
  size: mostly(fc.constantFrom('1x1', '256x256')),
  input: mostly(text),
  voice: mostly(text),
}
const json = fc
  .record(value, { requiredKeys: ['model', 'messages', 'prompt', 'input'] })
  .map((randomBody) => Buffer.from(JSON.stringify(randomBody)))

const part = fc.record({
  name: fc.oneof(fc.constantFrom('model', 'file', 'language', '__proto__'), text),
  filename: fc.option(text),
  fields: fc.constantFrom('', 'content-type: audio/mpeg\r\n', 'content-transfer-encoding: base64\r\n', 'x\r\n'),
  content: fc.oneof(fc.constant(Buffer.from('o3-mini')), fc.uint8Array({ maxLength: 500 })),
})
const form = fc.tuple(fc.array(part, { maxLength: 5 }), fc.constantFrom('', ' ', '\r\n')).map(([parts, before]) => {
  const pieces = parts.map(({ name, filename, fields, content }) => {
    const file = filename === null ? '' : `; filename="${filename}"`
    const head = `--${MULTIPART_BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n${fields}\r\n`
    return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
  })
  return Buffer.concat([Buffer.from(before), ...pieces, Buffer.from(`--${MULTIPART_BOUNDARY}--\r\n`)])
})

/** Generates valid bodies with some bytes removed, duplicated or changed. */
const mutated = fc
  .tuple(fc.oneof(json, form), fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 8 }))
  .map(([randomBody, from, length, patch]) => {
    const start = from % (randomBody.length + 1)
    return Buffer.concat([
      randomBody.subarray(0, start),
      patch,
      randomBody.subarray(Math.min(randomBody.length, start + (length % 20))),
    ])
  })

/**
 * Generates bodies of 1 to 200 kB, bodies near the limit of 8 MiB, and bodies that are slow to parse: deeply nested, or
 * with many parts.
 */
const large = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1000, max: 200_000 }).map((size) => padded(size)) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 30_000 }).map((depth) => Buffer.from('['.repeat(depth))) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 30_000 }).map((depth) => nested(depth)) },
  { weight: 4, arbitrary: fc.integer({ min: 90, max: 3000 }).map((count) => manyParts(count)) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1).map((over) => padded(8 * 1024 * 1024 + over)) },
)

/** Builds a valid chat request of `bytes` bytes. */
function padded(bytes: number): Buffer {
  const [before, after] = ['{"model":"o3-mini","messages":[{"role":"user","content":"', '"}],"max_tokens":1}']
  return Buffer.from(
    before + 'a '.repeat(bytes / 2 + 1).slice(0, Math.max(0, bytes - before.length - after.length)) + after,
  )
}

function nested(depth: number): Buffer {
  return Buffer.from(`{"model":"o3-mini","messages":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}}`)
}

function manyParts(count: number): Buffer {
  const head = `--${MULTIPART_BOUNDARY}\r\ncontent-disposition: form-data; name="language"\r\n\r\nde\r\n`
  return Buffer.from(`${head.repeat(count)}--${MULTIPART_BOUNDARY}--\r\n`)
}

/** Generates request bodies of all kinds; most are small. */
export const body: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 40, arbitrary: json },
  { weight: 20, arbitrary: form },
  { weight: 20, arbitrary: mutated },
  { weight: 19, arbitrary: fc.uint8Array({ maxLength: 2000 }) },
  { weight: 1, arbitrary: large },
)
