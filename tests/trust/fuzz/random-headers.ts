import fc from 'fast-check'
import { OPERATIONS } from '../../../contract/facts.ts'
import { MULTIPART_BOUNDARY } from './random-bodies.ts'

const ascii = (maxLength: number) =>
  fc.string({ unit: 'binary-ascii', maxLength }).map((text) => text.replaceAll(/[\r\n\0]/g, ''))
/** Generates strings of the characters that a header value may contain (RFC 9110, section 5.5). */
const latin = (maxLength: number) =>
  fc.string({ unit: 'binary', maxLength }).map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ''))

/** Generates request targets: most under /v1, some elsewhere. None contains a space. */
export const randomTarget = fc.oneof(
  { weight: 16, arbitrary: fc.constantFrom(...Object.values(OPERATIONS).map((operation) => operation.path)) },
  { weight: 2, arbitrary: ascii(40).map((text) => `/v1/${encodeURI(text)}`) },
  { weight: 1, arbitrary: ascii(40).map((text) => `/v1/models?${encodeURI(text)}`) },
  { weight: 1, arbitrary: ascii(40).map((text) => `/v1/images/${encodeURIComponent(text)}.png`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '/',
      '*',
      '//v1/models',
      '/v1/../v1/models',
      '/v1/%2e%2e/models',
      '/v1/%',
      '/v1/%00',
      '/V1/models',
      '/v1',
      'http://x/v1/models',
      'https://user:secret@x/v1/models',
      `/v1/${'a'.repeat(5000)}`,
      '/v1/models#x',
      '/v1/models;x',
    ),
  },
)

/**
 * Generates request targets of the control API, for endpoints whose requests cannot add a fault or reset the counters.
 */
export const randomControlTarget = fc
  .tuple(
    fc.constantFrom(
      'health',
      'accounts',
      'request-log',
      'balance',
      'ledger',
      'invariant',
      'metrics',
      'client-audit',
      'clock',
      'timing',
      'nothing',
      '',
    ),
    fc.oneof(
      fc.constant(''),
      ascii(30).map((text) => `?${encodeURI(text)}`),
      fc.constantFrom('?limit=1', '?after=-1', '?account=funded', '?limit=x&limit=y', '?__proto__=1'),
    ),
  )
  .map(([name, query]) => `/__emulator/${name}${query}`)

const KEY = 'sk-svc-touchstone-'
const bearer = fc.oneof(
  { weight: 12, arbitrary: fc.constant(`Bearer ${KEY}funded`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`bearer ${KEY}funded`, `Bearer  ${KEY}funded`, `Bearer ${KEY}funded, Bearer x`),
  },
  { weight: 1, arbitrary: fc.constantFrom(`Bearer ${KEY}empty`, `Bearer ${KEY}small`, `Bearer ${KEY}limited`) },
  { weight: 1, arbitrary: latin(30).map((text) => `Bearer ${text}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'Bearer', 'Bearer ', `Basic ${KEY}funded`, KEY, `Bearer sk-svc-${'x'.repeat(9000)}`),
  },
)
const authorization = fc.oneof(
  { weight: 20, arbitrary: bearer.map((value) => [`authorization: ${value}`]) },
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: bearer.map((value) => [`Authorization: ${value}`, `authorization: ${value}`]) },
)

const mediaType = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('application/json', `multipart/form-data; boundary=${MULTIPART_BOUNDARY}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-16',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'text/plain',
      ';',
      '/',
      `multipart/form-data; boundary="${MULTIPART_BOUNDARY}"`,
      `multipart/mixed; boundary=${MULTIPART_BOUNDARY}`,
      `multipart/form-data; boundary=${'b'.repeat(300)}`,
    ),
  },
  { weight: 1, arbitrary: latin(30) },
)

/** Generates header lines that every server must accept. */
const validField = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('expect: 100-continue', 'Expect: 100-Continue', 'expect: foo') },
  { weight: 4, arbitrary: mediaType.map((value) => `content-type: ${value}`) },
  { weight: 1, arbitrary: latin(200).map((value) => `x-any: ${value}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'accept: text/event-stream',
      'accept-encoding: gzip',
      'connection: keep-alive',
      'keep-alive: timeout=5',
      'cookie: a=b',
      'origin: http://x',
      'x-touchstone-fault: drop',
      'upgrade: h2c',
      'te: trailers',
      'range: bytes=0-1',
      'if-none-match: *',
    ),
  },
)
const odd = fc.oneof(
  { weight: 3, arbitrary: ascii(30).map((text) => `x-${text}`) },
  { weight: 3, arbitrary: ascii(30).map((text) => `expect: ${text}`) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((count) => 'x: y\r\n'.repeat(count) + 'x: y') },
  { weight: 1, arbitrary: fc.integer({ min: 10_000, max: 70_000 }).map((size) => `x-large: ${'z'.repeat(size)}`) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ' folded: x',
      'x: a\r\n b',
      'x : y',
      ': y',
      'no colon',
      'x: \0',
      'x: a\rb',
      'x: a\nb: c',
      'host: a\r\nhost: b',
      'host: a b',
      '\u00e4: y',
      'connection: upgrade, x',
      'connection: transfer-encoding',
    ),
  },
)

export const randomValidFields = fc
  .tuple(authorization, fc.array(validField, { maxLength: 3 }))
  .map((lists) => lists.flat())
export const randomInvalidFields = fc
  .tuple(authorization, fc.array(fc.oneof(validField, odd), { maxLength: 3 }), odd)
  .map(([first, others, last]) => [...first, ...others, last])

/**
 * Generates request methods. CONNECT is excluded, because it ends HTTP on a connection; `invalidRequestLine` generates
 * it.
 */
export const randomMethod = fc.oneof(
  { weight: 18, arbitrary: fc.constant('POST') },
  { weight: 3, arbitrary: fc.constant('GET') },
  { weight: 1, arbitrary: fc.constantFrom('PUT', 'HEAD', 'QUERY', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND') },
)
