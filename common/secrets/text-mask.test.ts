import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintSecret } from './fingerprint.ts'
import { OWN_WORDS } from './own-words.ts'
import { type Split, SPLITS, splitText } from './testing/splits.ts'
import { TextMask } from './text-mask.ts'
import { encodeSecret, encodingSteps, findVisibleRuns, secretBody } from './testing/encodings.ts'

const KEY = 'sk-svc-Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1'
const BODY = 'Fq7Lx2Vb9Tn4Rw8Zk3Mc6Yd1'
const SHOWN = fingerprintSecret(KEY)

function createMask(...secrets: readonly string[]): TextMask {
  return new TextMask(secrets, { prefix: 'sk-svc-', ownText: OWN_WORDS })
}

const mask = createMask(KEY)

/** Number of generated inputs: small in the unit tier, large in the nightly tier, which sets TOUCHSTONE_LONG. */
const RUNS = process.env['TOUCHSTONE_LONG'] === '1' ? 20_000 : 120

test.each([
  ['the key', `Bearer ${KEY}`, `Bearer ${SHOWN}`],
  ['the key without its last characters', KEY.slice(0, -4), `sk-svc-${SHOWN}`],
  ['eight characters from the middle', `a ${BODY.slice(5, 13)} b`, `a ${SHOWN} b`],
  ['upper case', `<${BODY.toUpperCase()}>, ${KEY.toUpperCase()}`, `<${SHOWN}>, ${SHOWN}`],
  ['two times', `${BODY} and ${BODY}`, `${SHOWN} and ${SHOWN}`],
  ['the value of Basic credentials', `Basic ${btoa(`user:${KEY}`)}`, `Basic dXNlcjpzay1zdmMt${SHOWN}`],
  ['the digits of a query', `/x?key=${Buffer.from(BODY).toString('hex')}&b`, `/x?key=${SHOWN}&b`],
  ['the deltas of a stream', deltas(['a Fq7L', 'x2Vb9', 'Tn4R']), deltas([`a ${SHOWN}`, SHOWN, SHOWN])],
  ['the data of a stream without JSON', 'data: Fq7L\n\ndata: x2Vb\n\n', `data: ${SHOWN}\n\ndata: ${SHOWN}\n\n`],
  ['the items of a list', '{"a":["Fq7Lx","2Vb9T"]}', `{"a":["${SHOWN}","${SHOWN}"]}`],
  ['the name of a field', `{"${BODY}":1}`, `{"${SHOWN}":1}`],
  ['the start of a truncated text', `"id": "${KEY.slice(0, 17)}…`, `"id": "sk-svc-${SHOWN}…`],
])('masks %s', (_name, text, masked) => {
  expect(mask.mask(text)).toBe(masked)
})

function deltas(contents: readonly string[]): string {
  return contents
    .map((content) => `data: ${JSON.stringify({ id: 'chatcmpl-1', choices: [{ delta: { content } }] })}\n\n`)
    .join('')
}

test.each([
  ['a text without a secret', 'The key sk-svc-… has 24 characters.'],
  ['seven characters', BODY.slice(0, 7)],
  ['the fingerprint', SHOWN],
  ['an identifier in hexadecimal digits', 'd41d8cd98f00b204e9800998ecf8427e'],
])('keeps %s', (_name, text) => {
  expect(mask.mask(text)).toBe(text)
})

describe('a secret with few characters', () => {
  const short = createMask('sk-svc-get', 'abc123', 'x')

  test.each([
    ['GET with sk-svc-get, without TARGET', 'GET with (hidden), without TARGET'],
    ['{"key":"abc123","text":"an abc123 b"}', '{"key":"(hidden)","text":"an abc123 b"}'],
    ['x-api-key: abc123', 'x-api-key: (hidden)'],
    ['authorization: Bearer abc123', 'authorization: Bearer (hidden)'],
    ['key=abc123&b=1', 'key=(hidden)&b=1'],
    ['abc123', '(hidden)'],
    ['"get" x sk-svc-getter', '"get" x sk-svc-getter'],
  ])('is masked as a whole value only: %s', (text, masked) => {
    expect(short.mask(text)).toBe(masked)
  })
})

test('keeps words of own texts, but not as a part of a longer run', () => {
  const named = createMask('sk-svc-my-conformance-key', 'sk-svc-touchstone-small')
  expect(named.mask('conformance, sk-svc-touchstone-small')).toBe('conformance, sk-svc-touchstone-small')
  expect(named.mask('id my-conformance')).toBe(`id ${fingerprintSecret('sk-svc-my-conformance-key')}`)
})

test('masks keys that it does not know if their prefix shows them', () => {
  const any = new TextMask([], { prefix: 'sk-svc-', ownText: OWN_WORDS, masksUnknownKeys: true })
  expect(any.mask('"%73k-svc-abc", sk-svc-touchstone-funded.')).toBe('"(hidden)", sk-svc-touchstone-funded.')
  const published = { key: 'sk-svc-touchstone-funded', accounts: [{ key: 'sk-svc-touchstone-small' }] }
  expect(any.maskJson(published)).toBe(published)
})

test('masks a JSON value as a whole, and keeps it valid', () => {
  const value = { a: [BODY.slice(0, 6), BODY.slice(6, 12)], [BODY]: 1, n: 12_345_678.5, b: `\u0007"${BODY}` }
  const numeric = createMask(KEY, '12345678.5')
  expect(numeric.maskJson(value)).toEqual({ a: [SHOWN, SHOWN], [SHOWN]: 1, n: '(hidden)', b: `\u0007"${SHOWN}` })
  const clean = { a: 1, b: ['text'] }
  expect(mask.maskJson(clean)).toBe(clean)
})

test('finds no run of a secret in any generated encoding, and keeps the text around it', () => {
  fc.assert(
    fc.property(secretBody, encodingSteps, fc.nat(3), (body, steps, position) => {
      const encoded = encodeSecret(body, steps)
      const text = `before ${'x'.repeat(position)}${encoded.text} after`
      const masked = createMask(`sk-svc-${body}`).mask(text)
      expect(findVisibleRuns(masked, encoded)).toEqual([])
      expect(masked).toMatch(/^before .* after$/s)
      expect(createMask(`sk-svc-${body}`).mask(masked)).toBe(masked)
    }),
    { numRuns: RUNS },
  )
})

/** Ways to put a response into a value that is masked, each with the function that reads it again. */
const PLACES: readonly [put: (response: string) => unknown, read: (value: unknown) => string][] = [
  [(response) => ({ body: response }), (value) => listContents(value).join('')],
  [
    (response) => ({ events: Array.from(response.matchAll(/^data: (.*)$/gm), ([, data], atMs) => ({ atMs, data })) }),
    (value) =>
      listContents(value)
        .map((data) => `data: ${data}\n\n`)
        .join(''),
  ],
  [
    (response) => ({ exchange: JSON.stringify({ response }) }),
    (value) => listContents(JSON.parse(listContents(value).join(''))).join(''),
  ],
]

/** Returns all strings of a JSON value. */
function listContents(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listContents) : []
}

test('finds no run of a secret that is split between values or lines', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 })
  const splits = fc.constantFrom<Split[]>(...Object.values(SPLITS))
  fc.assert(
    fc.property(
      secretBody,
      encodingSteps,
      lengths,
      splits,
      fc.constantFrom(...PLACES),
      (body, steps, cuts, split, [put, read]) => {
        const encoded = encodeSecret(body, steps)
        const response = split.write(splitText(encoded.text, cuts))
        fc.pre(split.read(read(put(response))) === encoded.text) // Excludes places that do not contain all parts.
        const masked = createMask(`sk-svc-${body}`).maskJson(put(response))
        expect(findVisibleRuns(split.read(read(masked)), encoded)).toEqual([])
      },
    ),
    { numRuns: RUNS },
  )
})

test('changes no text that contains no secret', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.json(), fc.base64String(), fc.lorem(), fc.string({ unit: 'binary' })),
      (text) => {
        expect(mask.mask(text)).toBe(text)
      },
    ),
    { numRuns: RUNS },
  )
})

/** Encodes a text in Base64 and escapes some of its digits, after escapes in several orders, again and again. */
function nest(text: string, depth: number): string {
  if (depth === 0) return text
  const escapes = String.raw`%25252541 &amp;amp;#x41; %26%23x41; &#37;41 \u0025\u00325 &#92;u0041 %5cu0041 \u0026#37;41 %5c%7525 &#x5c;&#117;41 `
  const escapeDigit = (digit: string, at: number) => {
    const code = digit.charCodeAt(0)
    const forms: Readonly<Record<number, string>> = {
      [depth]: `%${code.toString(16)}`,
      [depth + 3]: `&#${code};`,
      [depth + 5]: `\\u00${code.toString(16)}`,
    }
    return forms[at % 9] ?? digit
  }
  const digits = Buffer.from(nest(text, depth - 1)).toString('base64')
  return `${escapes} ${Array.from(digits, escapeDigit).join('')}`
}

describe('the work of a search', () => {
  /** Masks a text, and returns the number of decoded characters for each of its characters, with 8,000 added to it. */
  const measure = (text: string) => {
    const measured = createMask(KEY)
    const masked = measured.maskJson({ text, other: 'kept', key: KEY })
    expect(JSON.stringify(masked)).not.toContain(BODY)
    return { perCharacter: measured.decodedCharacters / (JSON.stringify(text).length + 8000), masked }
  }

  test.each([
    ['escapes and Base64 inside each other', nest(KEY, 4)],
    ['many of them', Array.from({ length: 10 }, (_, at) => nest(`${at}${KEY}`, 1 + (at % 5))).join(' ')],
    ['percent-encoding of the percent sign', '%2525'.repeat(50_000)],
    ['references to the ampersand', '&amp;amp;'.repeat(30_000)],
    ['backslashes', '\\'.repeat(50_000)],
    ['the secret', `${KEY} `.repeat(8_000)],
  ])('is proportional to the length of a text of %s', (_name, text) => {
    expect(measure(text).perCharacter).toBeLessThan(110)
  })

  test('is proportional to the length of generated encodings inside each other', () => {
    const steps = fc.array(encodingSteps, { maxLength: 4 }).map((lists) => lists.flat())
    fc.assert(
      fc.property(steps, fc.nat(4), (nested, depth) => {
        expect(measure(nest(encodeSecret(BODY, nested).text.slice(0, 20_000), depth)).perCharacter).toBeLessThan(110)
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    )
  })

  test('is limited: the mask hides a string that it cannot search completely, but no other string', () => {
    const text = nest(KEY, 6)
    const hidden = `(${JSON.stringify(text).length - 2} characters hidden: too many encodings)`
    expect(measure(text).masked).toEqual({ text: hidden, other: 'kept', key: SHOWN })
    expect(mask.mask(text)).toBe(`(${text.length} characters hidden: too many encodings)`)
  })
})
