import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../create-emulator.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'

const options = { allowFaultHeader: true, answerTokens: 8, frozenAtUnixSeconds: 1_750_000_000 } as const
let served: Emulator
let inProcess: InProcessEmulator
beforeAll(async () => {
  served = await startEmulator(options)
  inProcess = createEmulator(options)
})
afterAll(async () => {
  await served.close()
  await inProcess.close()
})

/** Streams a chat completion through the SDK. Returns the received contents, the end of the stream, and the charge. */
async function stream(transport: 'socket' | 'in process', fault: string) {
  const emulator = transport === 'socket' ? served : inProcess
  const { key } = emulator.createAccount({ credits: '10' })
  const client = new OpenAI({
    baseURL: transport === 'socket' ? `${served.url}/v1` : 'http://emulator/v1',
    apiKey: key,
    maxRetries: 0,
    ...(transport === 'socket' ? {} : { fetch: inProcess.fetch }),
  })
  const contents: (string | null | undefined)[] = []
  const abort = new AbortController()
  let end = 'complete'
  try {
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const request = { model: 'o3-mini', messages, stream: true as const }
    const headers = fault === '' ? {} : { 'x-touchstone-fault': fault }
    for await (const chunk of await client.chat.completions.create(request, { headers, signal: abort.signal })) {
      contents.push(chunk.choices[0]?.delta.content)
      // Waits long enough for a stream without latency to send another event.
      if (fault === 'stallAfterEvents=2' && contents.length === 2) setTimeout(() => abort.abort(), 50)
    }
    if (abort.signal.aborted) end = 'aborted'
  } catch (error) {
    if (!(error instanceof Error)) throw error
    end = error instanceof OpenAI.APIConnectionError ? 'no response' : error.constructor.name
  }
  await expect.poll(() => emulator.activeRequests()).toBe(0)
  return { contents, end, charged: emulator.balance(key)?.chargedUnits, held: emulator.balance(key)?.heldUnits }
}

const FAULTS = [
  '',
  'cutAfterEvents=3',
  'cutAfterEvents=3,reset',
  'cutAfterEvents=0',
  'errorAfterEvents=2',
  'malformedEvent=3',
  'itlMs=2',
  'delayMs=5',
  'drop=true',
  'status=503',
  'contentType=text/html',
]

test.each(FAULTS)('the same stream with the fault "%s" arrives in process and through a socket', async (fault) => {
  const overSocket = await stream('socket', fault)
  expect(await stream('in process', fault)).toEqual(overSocket)
  if (fault.startsWith('cutAfterEvents=3')) expect(overSocket.contents).toHaveLength(3)
})

test.each(['stallAfterEvents=2'])(
  'the stream with the fault "%s" stays open in process and through a socket',
  async (fault) => {
    const overSocket = await stream('socket', fault)
    expect(overSocket).toMatchObject({ contents: { length: 2 }, end: 'aborted' })
    expect(await stream('in process', fault)).toEqual(overSocket)
  },
)
