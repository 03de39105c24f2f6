import { expect, test } from 'vitest'
import { createEmulator } from '../../create-emulator.ts'
import { startEmulator } from '../../start-emulator.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { sendChat, parseChunks } from '../../tests/support/requests.ts'

const STREAM = { stream: true, max_tokens: 20 }
/** Number of prompt tokens in the request that `sendChat` sends. */
const PROMPT_TOKENS = 7
const OPTIONS = { answerTokens: 'fill' } as const

async function readToEnd(response: Response): Promise<{ text: string; error: unknown }> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true })
    return { text, error: undefined }
  } catch (error) {
    return { text, error }
  }
}

test.each([
  ['cutAfterEvents=4', 4],
  ['cutAfterEvents=4,reset', 4],
  ['cutAfterEvents=0', 0],
])('%s closes the connection after whole events, which are charged', async (rule, events) => {
  await using emulator = await startEmulator({ ...OPTIONS, faults: [rule] })
  const { key } = emulator.createAccount({ credits: '10' })
  const { text, error } = await readToEnd(await sendChat(emulator, STREAM, { key }))
  expect(error).toMatchObject({ cause: { code: rule.includes('reset') ? 'ECONNRESET' : 'UND_ERR_SOCKET' } })
  expect(parseChunks(text)).toHaveLength(events)
  expect(text.endsWith(events === 0 ? '' : '\n\n')).toBe(true)
  // The first event contains only the role.
  expect(emulator.balance(key)).toMatchObject({
    chargedUnits: (PROMPT_TOKENS + Math.max(0, events - 1)) * 4,
    heldUnits: 0,
  })
})

test('cutAfterBytes closes the connection at the byte, with and without streaming', async () => {
  await using emulator = await startEmulator({ ...OPTIONS, options: { text: 'ascii' }, faults: ['cutAfterBytes=333'] })
  for (const fields of [STREAM, { max_tokens: 200 }]) {
    const { text, error } = await readToEnd(await sendChat(emulator, fields))
    expect(text).toHaveLength(333)
    expect(error).toBeInstanceOf(Error)
  }
  const { heldUnits } = emulator.balance(emulator.keys.funded) ?? {}
  expect(heldUnits).toBe(0)
})

test('malformedEvent truncates one event and leaves the others intact', async () => {
  await using emulator = await startEmulator({ ...OPTIONS, faults: ['malformedEvent=3'] })
  const frames = (await (await sendChat(emulator, STREAM)).text()).split('\n\n').slice(0, -1)
  const broken = frames.flatMap((frame, index) => (isReadable(frame.slice(6)) ? [] : [index + 1]))
  expect(frames).toHaveLength(23)
  expect(broken).toEqual([3])
})

function isReadable(data: string): boolean {
  try {
    return data === '[DONE]' || JSON.parse(data) !== undefined
  } catch {
    return false
  }
}

test('errorAfterEvents sends an error event within a 200 and ends the stream', async () => {
  await using emulator = await startEmulator({
    ...OPTIONS,
    faults: [{ errorAfterEvents: 3, body: { error: { message: 'no' } } }],
  })
  const response = await sendChat(emulator, STREAM)
  const frames = (await response.text()).split('\n\n')
  expect(response.status).toBe(200)
  expect(frames.slice(3)).toEqual(['data: {"error":{"message":"no"}}', ''])
})

test('charges nothing for error events and truncated events', async () => {
  for (const rule of ['errorAfterEvents=3', 'cutAfterBytes=500']) {
    await using emulator = await startEmulator({ ...OPTIONS, faults: [rule] })
    const { key } = emulator.createAccount({ credits: '10' })
    const { text } = await readToEnd(await sendChat(emulator, STREAM, { key }))
    const whole = parseChunks(text.slice(0, text.lastIndexOf('\n\n') + 2))
    const tokens = whole.filter(({ choices }) => choices?.[0]?.delta.content).length
    expect(tokens).toBeGreaterThan(0)
    expect(emulator.balance(key)).toMatchObject({ chargedUnits: (PROMPT_TOKENS + tokens) * 4, heldUnits: 0 })
  }
})

test('applies fault rules about events only to streams', async () => {
  await using emulator = await startEmulator({ faults: ['cutAfterEvents=1,times=1'] })
  expect(isReadable(await (await sendChat(emulator)).text())).toBe(true)
  expect(emulator.faults.list()).toMatchObject([{ matched: 0, used: 0 }])
  expect((await readToEnd(await sendChat(emulator, STREAM))).error).toBeInstanceOf(Error)
})

test('contentType replaces the media type', async () => {
  await using emulator = await startEmulator({ faults: ['contentType=text/html'] })
  for (const fields of [{}, STREAM]) {
    expect((await sendChat(emulator, fields)).headers.get('content-type')).toBe('text/html')
  }
})

test('stallAfterEvents sends nothing more until the client disconnects or the emulator closes', async () => {
  const emulator = await startEmulator({ ...OPTIONS, faults: ['stallAfterEvents=2'] })
  const { key } = emulator.createAccount({ credits: '10' })
  const controller = new AbortController()
  const aborted = await sendChat(emulator, STREAM, { key, signal: controller.signal })
  const open = await sendChat(emulator, STREAM, { key })
  const reader = aborted.body?.getReader()
  expect(parseChunks(new TextDecoder().decode((await reader?.read())?.value))).toHaveLength(2)
  expect(emulator.balance(key)?.heldUnits).toBeGreaterThan(0)
  controller.abort()
  const read = readToEnd(open)
  await emulator.close()
  expect(await read).toMatchObject({ error: expect.any(Error) })
  await expect.poll(() => emulator.balance(key)?.heldUnits).toBe(0)
})

test('neverEnds repeats the last event until the client disconnects, and charges the response once', async () => {
  await using emulator = await startEmulator({ ...OPTIONS, faults: ['neverEnds'] })
  const { key } = emulator.createAccount({ credits: '10' })
  const response = await sendChat(emulator, { ...STREAM, max_tokens: 5 }, { key })
  let text = ''
  for await (const piece of response.body ?? []) {
    text += new TextDecoder().decode(piece)
    if (parseChunks(text).length > 10) break
  }
  expect(text).not.toContain('[DONE]')
  expect(parseChunks(text).every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true)
  await expect.poll(() => emulator.balance(key)?.heldUnits).toBe(0)
  expect(emulator.balance(key)?.chargedUnits).toBe((PROMPT_TOKENS + 5) * 4)
})

test('delayMs and itlMs delay the response and each event in addition to the latency', async () => {
  const clock = createVirtualClock()
  await using emulator = await startEmulator({ ...OPTIONS, clock, faults: ['delayMs=5000,itlMs=100'] })
  const arriving = sendChat(emulator, { ...STREAM, max_tokens: 2 })
  await expect.poll(() => emulator.faults.list()[0]?.used).toBe(1)
  clock.advance(5099)
  clock.advance(1)
  const response = await arriving
  clock.advance(10_000)
  await response.text()
  const { responses } = (await (await fetch(`${emulator.url}/__emulator/timing/responses`)).json()) as {
    responses: unknown
  }
  const plannedMs = [5100, 5200, 5300, 5400, 5500]
  expect(responses).toMatchObject([{ plannedMs, writtenMs: plannedMs }])
})

test('closes the emulator despite a delayed response', async () => {
  const emulator = await startEmulator({ faults: ['delayMs=3600000'] })
  const calls = [sendChat(emulator), sendChat(emulator, STREAM), sendChat(emulator, {}, { key: emulator.keys.small })]
  const outcomes = Promise.allSettled(calls)
  await expect.poll(() => emulator.faults.list()[0]?.used).toBe(3)
  await emulator.close()
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await expect.poll(() => emulator.balance(emulator.keys.funded)?.heldUnits).toBe(0)
})

test.each([
  ['cutAfterEvents=3', 3, 'UND_ERR_SOCKET'],
  ['cutAfterEvents=3,reset', 3, 'ECONNRESET'],
])('%s has the same effect in process', async (rule, events, code) => {
  await using emulator = createEmulator({ ...OPTIONS, faults: [rule] })
  const calling = emulator.fetch('http://emulator.test/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.keys.funded}` },
    body: JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hello.' }], stream: true }),
  })
  const outcome = await calling.then(readToEnd, (error: Error) => ({ text: '', error }))
  expect(parseChunks(outcome.text)).toHaveLength(events)
  expect(outcome).toMatchObject({ error: { cause: { code } } })
})
