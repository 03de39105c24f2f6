import { expect, test } from 'vitest'
import { buildRequestLines, parseFastRequest } from './parse-request.ts'

const LINES = buildRequestLines(['/v1/chat/completions', '/v1/models'])
const BODY = '{"model":"o3-mini"}'

const read = (text: string) => parseFastRequest(Buffer.from(text, 'latin1'), LINES)

function post(fields = '', body = BODY, length: unknown = body.length): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n${fields}Content-Length: ${length}\r\n\r\n${body}`
}

const get = (fields = '', line = 'GET /v1/models HTTP/1.1') => `${line}\r\nHost: x\r\n${fields}\r\n`

test('parses a plain request, with header names in lower case and trimmed values', () => {
  expect(read(post('AUTHORIZATION: \t Bearer  k \t\r\nx-empty:\r\nx-colon:a:b\r\n'))).toEqual({
    method: 'POST',
    target: '/v1/chat/completions',
    headers: {
      host: 'x',
      authorization: 'Bearer  k',
      'x-empty': '',
      'x-colon': 'a:b',
      'content-length': String(BODY.length),
    },
    body: Buffer.from(BODY),
  })
})

test.each([
  ['a GET without Content-Length', get(), ''],
  ['a GET with Content-Length 0', get('Content-Length: 0\r\n'), ''],
  ['a GET with a body', `${get('Content-Length: 2\r\n')}{}`, '{}'],
  ['a POST to a path that allows only GET', `POST /v1/models HTTP/1.1\r\nContent-Length: 1\r\n\r\n{`, '{'],
  ['no header fields', 'GET /v1/models HTTP/1.1\r\n\r\n', ''],
  ['an empty body', post('', ''), ''],
  ['a Content-Length with leading zeros', post('', BODY, '0019'), BODY],
  ['a body of arbitrary bytes', post('', '\0\x80\xff\r\n\r\n'), '\0\x80\xff\r\n\r\n'],
  ['Connection: Keep-Alive', post('Connection: Keep-Alive\r\n'), BODY],
  ['a header name of all allowed characters', get("!#$%&'*+-.^_`|~09azAZ: x\r\n"), ''],
  ['a header section of 4 KB', get(`x: ${'x'.repeat(4096 - get('x: \r\n').length)}\r\n`), ''],
])('parses a plain request with %s', (_name, text, body) => {
  expect(read(text)?.body.toString('latin1')).toBe(body)
})

test.each([
  ['no bytes', ''],
  ['two requests', get() + get()],
  ['a request and the first byte of another one', `${post()}P`],
  ['an empty line before the request', `\r\n${get()}`],
  ['HTTP/1.0', get('', 'GET /v1/models HTTP/1.0')],
  ['a method in lower case', get('', 'get /v1/models HTTP/1.1')],
  ['another method', get('', 'HEAD /v1/models HTTP/1.1')],
  ['another path', get('', 'GET /v1/model HTTP/1.1')],
  ['a trailing slash', get('', 'GET /v1/models/ HTTP/1.1')],
  ['a query', get('', 'GET /v1/models?a=b HTTP/1.1')],
  ['a target in absolute form', get('', 'GET http://x/v1/models HTTP/1.1')],
  ['an encoded target', get('', 'GET /v1/model%73 HTTP/1.1')],
  ['two spaces in the request line', get('', 'GET  /v1/models HTTP/1.1')],
  ['a space at the end of the request line', get('', 'GET /v1/models HTTP/1.1 ')],
  ['line feeds without carriage returns', get().replaceAll('\r', '')],
  ['a line feed without a carriage return after a header', get('x: y\nz: y\r\n')],
  ['a carriage return in a header value', get('x: y\rz: y\r\n')],
  ['a folded header', get('x: y\r\n z\r\n')],
  ['a folded first header', 'GET /v1/models HTTP/1.1\r\n x: y\r\n\r\n'],
  ['a header line without a colon', get('x\r\n')],
  ['a header without a name', get(': x\r\n')],
  ['a space before the colon', get('x : y\r\n')],
  ['a space in a header name', get('x y: z\r\n')],
  ['a character that header names do not allow', get('x(y): z\r\n')],
  ['an 8-bit header name', get('\xe9: z\r\n')],
  ['NUL in a header value', get('x: a\0b\r\n')],
  ['a control character in a header value', get('x: a\x1bb\r\n')],
  ['DEL in a header value', get('x: a\x7fb\r\n')],
  ['an 8-bit character in a header value', get('x: \xe9\r\n')],
  ['a repeated header', get('x: y\r\nX: y\r\n')],
  ['a second Host', get('host: x\r\n')],
  ['a repeated Content-Length', post(`Content-Length: ${BODY.length}\r\n`)],
  ['the header name Constructor', get('Constructor: x\r\n')],
  ['the header name __proto__', get('__proto__: x\r\n')],
  ['a Content-Length with a plus sign', post('', BODY, `+${BODY.length}`)],
  ['a negative Content-Length', post('', BODY, `-${BODY.length}`)],
  ['a hexadecimal Content-Length', post('', BODY, '0x13')],
  ['a Content-Length with an exponent', post('', 'xxxxxxxxxx', '1e1')],
  ['a Content-Length with a fraction', post('', BODY, `${BODY.length}.0`)],
  ['a Content-Length with a space', post('', BODY, '1 9')],
  ['two values in one Content-Length', post('', BODY, '19, 19')],
  ['an empty Content-Length', post('', '', '')],
  ['a Content-Length above the largest number', post('', BODY, '9'.repeat(400))],
  ['a Content-Length below the length of the body', post('', BODY, BODY.length - 1)],
  ['a Content-Length above the length of the body', post('', BODY, BODY.length + 1)],
  ['a POST without Content-Length', get('', 'POST /v1/models HTTP/1.1')],
  ['a GET with a body but without Content-Length', `${get()}{}`],
  ['Transfer-Encoding: identity', post('Transfer-Encoding: identity\r\n')],
  ['a chunked body', `${get('Transfer-Encoding: chunked\r\n', 'POST /v1/models HTTP/1.1')}0\r\n\r\n`],
  ['Trailer', post('Trailer: x\r\n')],
  ['TE: trailers', post('TE: trailers\r\n')],
  ['Expect: 100-continue', post('Expect: 100-continue\r\n')],
  ['Upgrade', post('Upgrade: h2c\r\n')],
  ['Connection: close', post('Connection: close\r\n')],
  ['several values in Connection', post('Connection: keep-alive, close\r\n')],
  ['an empty Connection', post('Connection:\r\n')],
  ['Keep-Alive', post('Keep-Alive: timeout=1\r\n')],
  ['Proxy-Connection', post('Proxy-Connection: close\r\n')],
  ['Set-Cookie, which Node stores as a list', post('Set-Cookie: x\r\n')],
  ['a header section of more than 4 KB', get(`x: ${'x'.repeat(4097 - get('x: \r\n').length)}\r\n`)],
])('leaves to Node a request with %s', (_name, text) => {
  expect(read(text)).toBeUndefined()
})

test('rejects every incomplete prefix of a request', () => {
  for (const text of [get(), post('authorization: Bearer k\r\n')]) {
    expect(read(text)).toBeDefined()
    for (let bytes = 0; bytes < text.length; bytes += 1) expect(read(text.slice(0, bytes))).toBeUndefined()
  }
})

test('does not parse a request with more header fields than Node accepts', () => {
  const names = Array.from({ length: 1000 }, (_, index) => index.toString(36))
  const head = `GET /v1/models HTTP/1.1\r\n${names.map((name) => `${name}:\r\n`).join('')}\r\n`
  expect(parseFastRequest(Buffer.from(head), buildRequestLines(['/v1/models']))).toBeUndefined()
})
