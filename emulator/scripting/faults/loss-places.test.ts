import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { createEmulator, type InstanceOptions } from '../../create-emulator.ts'
import { hashRequest } from '../fixtures/request-identity.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-places-'))
afterAll(() => rmSync(folder, { recursive: true }))

const CHAT = { model: 'o3-mini', messages: [{ role: 'user', content: 'Hi.' }], stream: true }
const TEXT = 'One [DONE] "choices":[] two.'

/**
 * Sends a request whose response may be lost at a place of its stream.
 * @returns the received events, without comments
 */
async function readEvents(fault: string, options: InstanceOptions, path: string, body: object): Promise<string[]> {
  await using emulator = createEmulator({
    frozenAtUnixSeconds: 1_750_000_000,
    extensions: ['responses'],
    ...(fault === '' ? {} : { faults: [fault] }),
    ...options,
  })
  const response = await emulator.fetch(`http://emulator.test/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.keys.funded}` },
    body: JSON.stringify(body),
  })
  let text = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk)
  }
  if (fault === '') await read()
  else await expect(read()).rejects.toThrow('terminated')
  return text.split(/(?<=\n\n)/).filter((event) => event !== '' && !event.startsWith(':'))
}

/** Writes a recording of a stream with the given data to the folder. */
function record(data: readonly string[]): void {
  const recording = {
    version: 1,
    operation: 'chat',
    requestHash: hashRequest('chat', { values: CHAT }),
    request: { method: 'POST', path: '/v1/chat/completions', body: CHAT },
    response: {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      totalMs: 0,
      events: data.map((text) => ({ atMs: 0, text: `data: ${text}\n\n` })),
    },
  }
  writeFileSync(join(folder, 'stream.json'), JSON.stringify(recording))
}

record([
  '{"choices":[{"delta":{"role":"assistant","content":""}}]}',
  '{"choices":[{"delta":{"reasoning":"Hm"}}]}',
  '{"choices":[{"delta":{"content":"One"}}]}',
  '{"choices":[{"delta":{},"finish_reason":"stop"}]}',
  '[DONE]',
])

const SCRIPTED = { fixtures: [{ text: TEXT }] }

/** Streams, and the number of their events before and after the content. */
const STREAMS: [name: string, before: number, after: number, options: InstanceOptions, path: string, body: object][] = [
  ['a chat', 1, 2, SCRIPTED, 'chat/completions', CHAT],
  ['reasoning', 1, 2, { fixtures: [{ reasoning: 'Hm.', text: 'One' }] }, 'chat/completions', CHAT],
  ['two choices', 2, 3, SCRIPTED, 'chat/completions', { ...CHAT, n: 2 }],
  [
    'a chat with more events and fields',
    1,
    3,
    {
      ...SCRIPTED,
      options: { 'keep-alive-comments': 'each', 'stream-usage': 'always', 'completion-fields': 'sdk' },
    },
    'chat/completions',
    CHAT,
  ],
  [
    'chunks of several tokens with role and usage',
    1,
    2,
    {
      ...SCRIPTED,
      options: { 'tokens-per-chunk': 3, 'delta-role': 'each', 'stream-usage': 'each', 'event-fields': 'id-and-retry' },
    },
    'chat/completions',
    CHAT,
  ],
  [
    'hidden reasoning',
    1,
    2,
    { fixtures: [{ reasoning: 'Hm.', text: 'One two.' }], options: { reasoning: 'hidden' } },
    'chat/completions',
    CHAT,
  ],
  [
    'a chat of plain text',
    0,
    0,
    { ...SCRIPTED, options: { 'chunk-shape': 'text', 'done-marker': 'none' } },
    'chat/completions',
    CHAT,
  ],
  ['a response', 4, 4, SCRIPTED, 'responses', { model: 'o3-mini', input: 'Hi.', stream: true }],
  ['a recording', 1, 2, { replay: folder }, 'chat/completions', CHAT],
]

test.each(STREAMS)('finds the content of %s', async (_name, before, after, options, path, body) => {
  const whole = await readEvents('', options, path, body)
  const read = (fault: string) => readEvents(fault, options, path, body)
  expect(await read('loseAt=before-first-token')).toEqual(whole.slice(0, before))
  expect(await read('loseAt=after-first-token')).toEqual(whole.slice(0, before + 1))
  const middle = Math.floor((before + whole.length - after) / 2)
  const cut = await read('loseAt=in-event')
  expect(cut.slice(0, middle)).toEqual(whole.slice(0, middle))
  expect(cut).toHaveLength(middle + 1)
  expect(whole[middle]?.startsWith(cut[middle] ?? '-')).toBe(true)
  expect(await read('loseAt=in-body')).toEqual(whole.slice(0, Math.floor(whole.length / 2)))
})

test('loses a stream without tokens after the events before its content', async () => {
  const options = { fixtures: [{ text: '' }] }
  const whole = await readEvents('', options, 'chat/completions', CHAT)
  for (const place of ['before-first-token', 'after-first-token']) {
    expect(await readEvents(`loseAt=${place}`, options, 'chat/completions', CHAT)).toEqual(whole.slice(0, 1))
  }
  const cut = await readEvents('loseAt=in-event', options, 'chat/completions', CHAT)
  expect(cut).toHaveLength(2)
})

test('sends and records all bytes before the loss if characters are split over writes', async () => {
  const stderr = vi.spyOn(process.stderr, 'write')
  const options: InstanceOptions = {
    fixtures: [{ text: 'Ä' }],
    options: { 'bytes-per-write': 'split' },
    requestLog: { digests: 1 },
  }
  const whole = await readEvents('', options, 'chat/completions', CHAT)
  expect(await readEvents('loseAt=after-first-token', options, 'chat/completions', CHAT)).toEqual(whole.slice(0, 2))
  await setTimeout(5) // A write after the end of the request would be an error.
  expect(stderr).not.toHaveBeenCalled()
  stderr.mockRestore()
})
