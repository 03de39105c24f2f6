import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { once } from 'node:events'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { buildRequestLines, parseFastRequest } from './parse-request.ts'

/** Number of generated inputs: small in the unit tier, large in the nightly tier, which sets TOUCHSTONE_LONG. */
const RUNS = process.env['TOUCHSTONE_LONG'] === '1' ? 100_000 : 2500

/** Requests that Node has parsed, and an error code for each parse error. */
let readByNode: (Promise<object> | string)[] = []

const node = createServer({ requireHostHeader: false }, (request, response) => {
  readByNode.push(whole(request))
  response.end()
})
node.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
  readByNode.push(`refused: ${code}`)
  socket.destroy()
})
for (const event of ['checkContinue', 'checkExpectation', 'upgrade', 'connect', 'dropRequest'])
  node.on(event, (_request, last: Duplex | { socket: Duplex }) => {
    readByNode.push(event)
    const socket = last instanceof Duplex ? last : last.socket
    socket.destroy()
  })
afterAll(() => void node.close())

async function whole(request: IncomingMessage): Promise<object> {
  const { method, url, headers, httpVersion, rawTrailers } = request
  const isKept = headers.connection === undefined || headers.connection.toLowerCase() === 'keep-alive'
  const body = await buffer(request)
  return { method, target: url, headers: { ...headers }, body, httpVersion, rawTrailers, isKept }
}

/**
 * Parses bytes with Node's HTTP parser.
 * @returns the requests, or the parse error
 */
async function readAsNode(bytes: Buffer): Promise<unknown[]> {
  readByNode = []
  const socket = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() })
  node.emit('connection', socket)
  socket.push(bytes)
  socket.push(null)
  await once(socket, 'close')
  return Promise.all(readByNode)
}

const LINES = buildRequestLines(['/v1/models', '/v1/chat/completions'])

/** Characters used in request smuggling attacks. */
const smugglingCharacters = fc.constantFrom(
  ...'\r\n\r\n: \t0123456789,;-+_\0\x0b\x0c\x7f\x80\x85\xa0\xff',
  '\r\n',
  '\r\n\r\n',
  '\r\n ',
)
const USUAL_NAMES = 'Host Authorization Content-Type Accept User-Agent Connection Cookie Set-Cookie Date Range X-A 1'
const FRAMING_HEADERS = 'Transfer-Encoding Content-Length Expect Upgrade TE Trailer Keep-Alive HTTP2-Settings'
const names = fc.constantFrom(...`${USUAL_NAMES} ${FRAMING_HEADERS}`.split(' '))
const USUAL_VALUES = ['x', '', 'keep-alive', 'Keep-Alive', 'close', 'chunked', 'a, b', 'a; q=1', '3', '0', 'h2c']
const values = fc.oneof(
  fc.constantFrom(...USUAL_VALUES),
  fc.string({ unit: fc.constantFrom(...' \t,;=:"ab1-'), maxLength: 8 }),
)
const blanks = fc.constantFrom('', ' ', '  ', '\t', ' \t')
const lengths = fc.constantFrom('', '', '', '0', ' ', '\t', ' 1')

/** Generates a plain or nearly plain request. */
const request = fc
  .record({
    line: fc.constantFrom(...LINES.map(({ text }) => text)),
    fields: fc.uniqueArray(fc.tuple(names, blanks, values, blanks), { maxLength: 4, selector: ([name]) => name }),
    body: fc.oneof(fc.constant(''), fc.string({ maxLength: 20 }), fc.constantFrom('0\r\n\r\n', LINES[1]?.text ?? '')),
    length: fc.tuple(blanks, lengths, lengths),
  })
  .map(({ line, fields, body, length: [blank, before, after] }) => {
    const bytes = Buffer.byteLength(body)
    const length = `${blank}${before}${bytes}${after}`
    const lines = fields.map(([name, left, value, right]) => `${name}:${left}${value}${right}\r\n`)
    return Buffer.from(`${line}${lines.join('')}content-length:${length}\r\n\r\n${body}`).toString('latin1')
  })

const change = fc.record({
  at: fc.nat(1000),
  remove: fc.constantFrom(0, 0, 1, 1, 2),
  insert: fc.oneof(fc.constant(''), smugglingCharacters, fc.string({ unit: 'binary-ascii', maxLength: 2 })),
})

/** Generates requests with up to three mutations. Half of the requests have none. */
const changed = fc
  .tuple(request, fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 3 })))
  .map(([text, changes]) =>
    changes.reduce((before, { at, remove, insert }) => {
      const from = at % (before.length + 1)
      return before.slice(0, from) + insert + before.slice(from + remove)
    }, text),
  )

test('parses plain requests exactly as Node does', async () => {
  let taken = 0
  const property = fc.asyncProperty(changed, async (text) => {
    const bytes = Buffer.from(text, 'latin1')
    const plain = parseFastRequest(bytes, LINES)
    if (plain === undefined) return
    taken += 1
    const asNode = { ...plain, headers: { ...plain.headers }, httpVersion: '1.1', rawTrailers: [], isKept: true }
    expect(await readAsNode(bytes)).toEqual([asNode])
  })
  await fc.assert(property, { numRuns: RUNS })
  expect(taken).toBeGreaterThan(RUNS / 20) // Fails if the generator produced too few plain requests to compare.
})
