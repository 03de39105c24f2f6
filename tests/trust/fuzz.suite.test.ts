import { expect, test } from 'vitest'
import { createVirtualClock, startEmulator } from '../../emulator/start-emulator.ts'
import { readFuzzLimits, runGeneratedCases } from '../generated-cases.ts'
import { checkCase } from './fuzz/check-case.ts'
import { generateCases, type FuzzCase } from './fuzz/generate-cases.ts'
import { sendCase } from './fuzz/send-case.ts'

/** Number of batches of 32 connections. The nightly tier opens more. */
const BATCHES = 19
const MAX_SHOWN_CHARACTERS = 2000

test('responds to random connections correctly, and leaves no credits held', { timeout: 1_800_000 }, async () => {
  // The test exceeds this limit even if the limit refills a little on a slow machine.
  await using emulator = await startEmulator({ limitedRate: { requestsPerMinute: 1 } })
  const statuses: Record<string, number> = {}
  const runAtOnce = async (batch: readonly FuzzCase[]) => {
    const results = await Promise.all(
      batch.map(async (one) => ({ sent: one.pieces, ...checkCase(one, await sendCase(emulator.port, one)) })),
    )
    for (const status of results.flatMap((result) => result.statuses)) statuses[status] = (statuses[status] ?? 0) + 1
    const wrong = results.find(({ failure }) => failure !== undefined)
    if (wrong === undefined) return undefined
    return `${wrong.failure}: ${JSON.stringify(String(Buffer.concat(wrong.sent))).slice(0, MAX_SHOWN_CHARACTERS)}`
  }
  const limits = readFuzzLimits(BATCHES)
  const { cases, failures } = await runGeneratedCases({ name: 'fuzz', generate: generateCases, run: runAtOnce }, limits)
  expect(failures.map(({ failure }) => `seed ${limits.seed}: ${failure}`)).toEqual([])
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '402', '404', '429']))
  expect(statuses['200']).toBeGreaterThan(cases) // Ensures that some of the requests are valid.
  await expect.poll(() => emulator.activeRequests(), { timeout: 30_000 }).toBe(0)
  for (const key of Object.values(emulator.keys)) expect(emulator.balance(key)?.heldUnits).toBe(0)
})

/** A chat request with a header line. */
const requestWith = (line: string) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${line}\r\ncontent-length: 2\r\n\r\n{}`
/** Pipelined requests to which an earlier version responded differently with and without the fast path. */
const FOUND = [`${requestWith('expect: foo')}${requestWith('expect: 100-continue')}`]

test(
  'sends the same bytes to random pipelined requests with and without the fast path',
  { timeout: 1_800_000 },
  async () => {
    const start = (fastPath: 'on' | 'off') =>
      startEmulator({
        fastPath,
        clock: createVirtualClock(),
        limitedRate: { requestsPerMinute: 1 },
        publicUrl: 'http://x',
      })
    await using on = await start('on')
    await using off = await start('off')
    const batches = Array.from({ length: process.env['TOUCHSTONE_LONG'] === '1' ? 940 : BATCHES }, (_, batch) => batch)
    const generated = batches
      .flatMap((batch) => generateCases(2, batch))
      .filter(
        ({ kind, messages }) =>
          (kind === 'valid' || kind === 'invalid') && !messages.some(({ bytes }) => bytes.includes('/__emulator')),
      )
    const found = FOUND.map((text) => ({ kind: 'invalid' as const, pieces: [Buffer.from(text)] }))
    for (const { kind, pieces } of [...found, ...generated]) {
      const sent = { kind, messages: [], pieces: [Buffer.concat(pieces)], pauseMs: 0 }
      const [withFastPath, without] = await Promise.all([on, off].map(({ port }) => sendCase(port, sent)))
      const undated = (result: typeof withFastPath) => result?.received.replaceAll(/^Date: .*GMT\r\n/gm, '')
      expect({ sent: String(sent.pieces), received: undated(withFastPath) }).toEqual({
        sent: String(sent.pieces),
        received: undated(without),
      })
    }
  },
)

const RIGHT = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
const STREAM = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'

test.each([
  ['a status outside the table', RIGHT.replace('200', '500'), 'closed', /not in the table: 500/],
  ['a response inside another response', `${STREAM}${RIGHT}`, 'closed', /^no response, but "2\\r\\n/],
  ['bytes after the response', `${RIGHT}x`, 'closed', /^no response, but "x"/],
  ['an incomplete response', RIGHT.slice(0, -1), 'closed', /the last one truncated/],
  ['an incomplete stream', STREAM, 'closed', /the last one truncated/],
  ['a missing response', '', 'closed', /^0 responses to 1 messages/],
  ['a second response', `${RIGHT}${RIGHT}`, 'closed', /^2 responses to 1 messages/],
  ['a connection that stays open', RIGHT, 'hang', /^still open/],
] as const)('the fuzz test reports %s', (_name, received, end, words) => {
  const messages = [{ bytes: Buffer.from('GET /v1/models HTTP/1.1\r\n\r\n'), isHead: false }]
  const validCase = { kind: 'valid', messages, pieces: [], pauseMs: 0 } as const
  expect(checkCase(validCase, { received: RIGHT, end: 'closed' })).toEqual({ statuses: [200] })
  expect(checkCase(validCase, { received, end }).failure).toMatch(words)
})
