import { gzipSync, zstdCompressSync } from 'node:zlib'
import { buildMp3 } from '../../conformance/requests/audio.ts'
import { createSeededRandom } from '../../emulator/state/seeded-random.ts'
import dictionary from './dictionary.json' with { type: 'json' }

/** Body of the request that the cases send. */
export const CHAT = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Hello' }], stream: true }

/** Input of the readers: a response of a target, a form, or a recording. */
export interface ReaderCase {
  readonly kind: 'response' | 'form' | 'recording'
  /** Bytes as Latin-1, in the pieces in which they arrive. A form starts with its media type and a blank line. */
  readonly pieces: readonly string[]
  /** What the server does after the last piece. */
  readonly end: 'close' | 'reset' | 'hold'
}

const MIB = 1024 * 1024
const JSON_BODY = '{"id":"a","object":"chat.completion","choices":[{"message":{"content":"Hello."}}],"usage":{"a":1}}'
const EVENTS =
  'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n: comment\nevent: a\ndata: é\r\n\r\ndata: [DONE]\n\n'
const IMAGES = [
  '89504e470d0a1a0a0000000d494844520000004a0000003408020000',
  'ffd8ffe000104a46494600010100000100010000ffc0001108003400 4a03012200',
  '4749463839614a00340000',
  '424d460000000000000036000000280000004a00000034000000010018',
  '524946462400000057454250565038582000000000000000 490000330000',
  '49492a00080000000200000103000100000 04a000000010103000100000034000000',
  '0000001c667479706176696600000000617669666d696631000000146973706500000000000000 4a00000034',
].map((hex) => Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('latin1'))
const MP3 = latin1(buildMp3(108))
const ID3 = `ID3\x04\0\0\0\0\0\x02ab${MP3}TAG${'a'.repeat(125)}`
const SVG = '<?xml version="1.0"?><svg width="74" height="52px"></svg>'

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

const withLength = (type: string, body: string, fields = '') =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const inChunks = (type: string, body: string, fields = '') =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${fields}transfer-encoding: chunked\r\n\r\n${chunk(body.slice(0, 20))}${chunk(body.slice(20))}0\r\nx-end: 1\r\n\r\n`
const LIMITED =
  'HTTP/1.1 429 Too Many Requests\r\nretry-after: 2\r\nx-ratelimit-limit-tokens: 100\r\nx-ratelimit-remaining-tokens: 5\r\nx-ratelimit-reset-tokens: 6m0s\r\nratelimit: limit=9, remaining=1, reset=5\r\ncontent-length: 2\r\n\r\n{}'

/** Valid responses. Larger ones exceed the limits of the readers. */
const RESPONSES = [
  withLength('application/json', JSON_BODY),
  inChunks('application/json', JSON_BODY),
  inChunks('text/event-stream', EVENTS),
  `HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${EVENTS}`,
  `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${withLength('application/json', JSON_BODY)}`,
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nabc',
  LIMITED,
  withLength('text/event-stream', latin1(gzipSync(EVENTS)), 'content-encoding: gzip\r\n'),
  inChunks('application/json', latin1(zstdCompressSync(JSON_BODY)), 'content-encoding: zstd\r\n'),
  withLength('application/json', latin1(gzipSync(Buffer.alloc(4 * MIB))), 'content-encoding: gzip\r\n'),
  withLength('audio/mpeg', MP3),
  withLength('audio/mpeg', ID3),
  withLength('image/svg+xml', SVG),
  ...IMAGES.map((image) => withLength('image/png', image)),
]
const PART = '\r\ncontent-disposition: form-data; name='
const FORM = `multipart/form-data; boundary=b\r\n\r\n--b${PART}"model"\r\n\r\nwhisper-1\r\n--b${PART}"file"; filename="a.mp3"\r\ncontent-type: audio/mpeg\r\n\r\n${MP3}\r\n--b--\r\n`

/** A recording of `CHAT`, the request that the cases send. */
const RECORDING = JSON.stringify(
  {
    version: 1,
    operation: 'chat',
    requestHash: '43a1166bc6badf552622fb88a6b651cdc8c6a3d18eadac22a7b7188b6d4e03fd',
    request: { method: 'POST', path: '/v1/chat/completions', body: CHAT },
    response: {
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'retry-after': '1', 'content-encoding': 'identity' },
      totalMs: 2,
      events: EVENTS.split('\n\n').map((event) => ({ atMs: 1, text: `${event}\n\n` })),
      images: [{ file: '1.png', contentType: 'image/png' }],
    },
  },
  undefined,
  1,
)

/** Lengths, chunk sizes and other numbers of a response. */
const NUMBER = /(?<=\n|[:=] ?)[\da-f]+(?=[\r,])/g
/** Values of a recording. */
const VALUE = /(?<=: )(?:"[^"]*"|[\d.]+|\[[^[\]]*\])/g
const TIMES = [1, 1, 1, 1, 1, 2, 3, 50, 200, 10_000]

/** Generates a case. The same seed and number give the same case. */
export function generateReaderCase(seed: number, number: number): ReaderCase {
  const random = createSeededRandom(seed, 'readers', number)
  // The cast is safe: only the list of matches may be empty.
  const pick = <Value>(values: readonly Value[]): Value => values[random.integerBelow(values.length)] as Value
  const kind = random.next() < 0.75 ? 'response' : pick(['form', 'recording'] as const)
  let text = kind === 'response' ? pick(RESPONSES) : kind === 'form' ? FORM : RECORDING
  for (let left = pick([0, 1, 1, 2, 3, 5, 9]); left > 0; left -= 1) {
    text =
      kind === 'recording' && random.next() < 0.75 ? replaceMatch(text, VALUE, pick(dictionary.json)) : mutate(text)
  }
  return {
    kind,
    pieces: split(text),
    end: random.next() < 0.7 ? 'close' : pick(['reset', 'hold'] as const),
  }

  function mutate(given: string): string {
    // Half of the mutations change the header section, which is shorter than most bodies.
    const head = given.indexOf('\r\n\r\n') + 4
    const at = random.integerBelow(1 + (random.next() < 0.5 ? Math.min(head, given.length) : given.length))
    const to = Math.min(given.length, at + pick([1, 1, 2, 5, 30, 1000]))
    const before = given.slice(0, at)
    const part = given.slice(at, to)
    const after = given.slice(to)
    switch (pick(['flip', 'delete', 'repeat', 'insert', 'insert', 'replace', 'truncate', 'number'] as const)) {
      case 'flip':
        return before + String.fromCharCode(given.charCodeAt(at) ^ (1 << random.integerBelow(8))) + given.slice(at + 1)
      case 'delete':
        return before + after
      case 'repeat':
        return before + part.repeat(Math.min(pick(TIMES), Math.ceil((2 * MIB) / (part.length + 1)))) + part + after
      case 'insert':
        return before + pick(dictionary.http).repeat(pick(TIMES)) + part + after
      case 'replace':
        return before + pick(dictionary.http) + after
      case 'truncate':
        return before
      case 'number':
        return replaceMatch(given, NUMBER, pick(dictionary.numbers))
    }
  }

  function replaceMatch(given: string, pattern: RegExp, value: string): string {
    const { index = 0, 0: found = '' } = pick([...given.matchAll(pattern)]) ?? {}
    return given.slice(0, index) + value + given.slice(index + found.length)
  }

  function split(given: string): string[] {
    const ends = Array.from({ length: pick([0, 0, 1, 3, 40]) }, () => random.integerBelow(given.length + 1))
    const sorted = [0, ...ends.toSorted((one, other) => one - other), given.length]
    return sorted.slice(1).map((end, index) => given.slice(sorted[index], end))
  }
}
