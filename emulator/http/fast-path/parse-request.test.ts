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
  ['a GET without a length', get(), ''],
  ['a GET with a length of nothing', get('Content-Length: 0\r\n'), ''],
  ['a GET with a body', `${get('Content-Length: 2\r\n')}{}`, '{}'],
  ['a POST to a path of the other method', `POST /v1/models HTTP/1.1\r\nContent-Length: 1\r\n\r\n{`, '{'],
  ['no fields at all', 'GET /v1/models HTTP/1.1\r\n\r\n', ''],
  ['a body without a byte', post('', ''), ''],
  ['a length that begins with zeros', post('', BODY, '0019'), BODY],
  ['a body of any bytes', post('', '\0\x80\xff\r\n\r\n'), '\0\x80\xff\r\n\r\n'],
  ['a connection that is to be kept', post('Connection: Keep-Alive\r\n'), BODY],
  ['every character that a name may have', get("!#$%&'*+-.^_`|~09azAZ: x\r\n"), ''],
  ['a head of 4 KB', get(`x: ${'x'.repeat(4096 - get('x: \r\n').length)}\r\n`), ''],
])('accepts as plain: %s', (_name, text, body) => {
  expect(read(text)?.body.toString('latin1')).toBe(body)
})

test.each([
  ['nothing', ''],
  ['two requests', get() + get()],
  ['a request and the beginning of the next', `${post()}P`],
  ['an empty line before it', `\r\n${get()}`],
  ['HTTP/1.0', get('', 'GET /v1/models HTTP/1.0')],
  ['a method in lower case', get('', 'get /v1/models HTTP/1.1')],
  ['another method', get('', 'HEAD /v1/models HTTP/1.1')],
  ['another path', get('', 'GET /v1/model HTTP/1.1')],
  ['a slash at the end', get('', 'GET /v1/models/ HTTP/1.1')],
  ['a query', get('', 'GET /v1/models?a=b HTTP/1.1')],
  ['a target in absolute form', get('', 'GET http://x/v1/models HTTP/1.1')],
  ['an encoded target', get('', 'GET /v1/model%73 HTTP/1.1')],
  ['two blanks in the first line', get('', 'GET  /v1/models HTTP/1.1')],
  ['a blank after the first line', get('', 'GET /v1/models HTTP/1.1 ')],
  ['line feeds alone', get().replaceAll('\r', '')],
  ['a line feed alone at the end of a field', get('x: y\nz: y\r\n')],
  ['a carriage return alone in a value', get('x: y\rz: y\r\n')],
  ['a line that goes on', get('x: y\r\n z\r\n')],
  ['a first field that is folded', 'GET /v1/models HTTP/1.1\r\n x: y\r\n\r\n'],
  ['a line without a colon', get('x\r\n')],
  ['a field without a name', get(': x\r\n')],
  ['a blank before the colon', get('x : y\r\n')],
  ['a blank in a name', get('x y: z\r\n')],
  ['a character that no name has', get('x(y): z\r\n')],
  ['an 8-bit name', get('\xe9: z\r\n')],
  ['NUL in a value', get('x: a\0b\r\n')],
  ['a control character in a value', get('x: a\x1bb\r\n')],
  ['DEL in a value', get('x: a\x7fb\r\n')],
  ['an 8-bit character in a value', get('x: \xe9\r\n')],
  ['a name twice', get('x: y\r\nX: y\r\n')],
  ['a second host', get('host: x\r\n')],
  ['a length twice', post(`Content-Length: ${BODY.length}\r\n`)],
  ['a name that every object has', get('Constructor: x\r\n')],
  ['the name of the prototype', get('__proto__: x\r\n')],
  ['a length with a sign', post('', BODY, `+${BODY.length}`)],
  ['a negative length', post('', BODY, `-${BODY.length}`)],
  ['a hexadecimal length', post('', BODY, '0x13')],
  ['a length with an exponent', post('', 'xxxxxxxxxx', '1e1')],
  ['a length with a fraction', post('', BODY, `${BODY.length}.0`)],
  ['a length with a blank in it', post('', BODY, '1 9')],
  ['two lengths in one field', post('', BODY, '19, 19')],
  ['a length of no digits', post('', '', '')],
  ['a length that no number has', post('', BODY, '9'.repeat(400))],
  ['a length that is too short', post('', BODY, BODY.length - 1)],
  ['a length that is too long', post('', BODY, BODY.length + 1)],
  ['a POST without a length', get('', 'POST /v1/models HTTP/1.1')],
  ['a GET with a body that it does not announce', `${get()}{}`],
  ['a transfer coding', post('Transfer-Encoding: identity\r\n')],
  ['chunks', `${get('Transfer-Encoding: chunked\r\n', 'POST /v1/models HTTP/1.1')}0\r\n\r\n`],
  ['trailers to come', post('Trailer: x\r\n')],
  ['trailers that are taken', post('TE: trailers\r\n')],
  ['an expectation', post('Expect: 100-continue\r\n')],
  ['another protocol', post('Upgrade: h2c\r\n')],
  ['a connection that is to be closed', post('Connection: close\r\n')],
  ['a connection of several words', post('Connection: keep-alive, close\r\n')],
  ['a connection of no words', post('Connection:\r\n')],
  ['parameters of a kept connection', post('Keep-Alive: timeout=1\r\n')],
  ['a word to a proxy', post('Proxy-Connection: close\r\n')],
  ['a field of which Node makes a list', post('Set-Cookie: x\r\n')],
  ['a head of more than 4 KB', get(`x: ${'x'.repeat(4097 - get('x: \r\n').length)}\r\n`)],
])('passes to Node: %s', (_name, text) => {
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
