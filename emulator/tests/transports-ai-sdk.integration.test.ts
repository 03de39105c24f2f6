import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmulator, type InProcessEmulator } from '../create-emulator.ts'
import { startEmulator, type Emulator } from '../start-emulator.ts'

const options = {
  allowFaultHeader: true,
  answerTokens: 8,
  frozenAtUnixSeconds: 1_750_000_000,
  fixtures: [
    { toolResult: '21 degrees', text: 'It is warm.' },
    { message: 'Is it warm?', toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
  ],
}
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

type Transport = 'socket' | 'in process'

/** Creates an account, and an AI SDK model that uses it. */
function open(transport: Transport) {
  const emulator = transport === 'socket' ? served : inProcess
  const { key } = emulator.createAccount({ credits: '10' })
  const provider = createOpenAICompatible({ name: 'emulator', includeUsage: true, ...emulator.clientOptions(key) })
  return { emulator, key, model: provider('o3-mini') }
}

function describeError(error: unknown): string {
  if (APICallError.isInstance(error)) return `APICallError ${error.statusCode ?? 'without a response'}`
  return error instanceof Error ? error.name : String(error)
}

/** Streams a completion. Returns the parts that the SDK reports, the finish reason or the error, and the charge. */
async function stream(transport: Transport, fault: string) {
  const { emulator, key, model } = open(transport)
  const parts: string[] = []
  const headers = fault === '' ? {} : { 'x-touchstone-fault': fault }
  const { fullStream } = streamText({ model, prompt: 'Hi', headers, maxRetries: 0, onError: () => undefined })
  try {
    for await (const part of fullStream) {
      if (part.type === 'text-delta') parts.push(part.text)
      if (part.type === 'error') parts.push(`error: ${describeError(part.error)}`)
      if (part.type === 'finish') parts.push(`finish: ${part.finishReason}`)
    }
  } catch (error) {
    parts.push(`thrown: ${describeError(error)}`)
  }
  await expect.poll(() => emulator.activeRequests()).toBe(0)
  return { parts, charged: emulator.balance(key)?.chargedUnits, held: emulator.balance(key)?.heldUnits }
}

const FAULTS = [
  '',
  'cutAfterEvents=3',
  'cutAfterEvents=3,reset',
  'cutAfterEvents=0',
  'errorAfterEvents=2',
  'malformedEvent=3',
  'itlMs=2',
  'drop=true',
  'status=402',
  'status=503',
  'contentType=text/html',
]

test.each(FAULTS)(
  'the AI SDK receives the same stream with the fault "%s" in process and through a socket',
  async (fault) => {
    const overSocket = await stream('socket', fault)
    expect(await stream('in process', fault)).toEqual(overSocket)
    if (fault === '') expect(overSocket.parts).toHaveLength(9)
    else if (fault === 'cutAfterEvents=3')
      expect(overSocket.parts.filter((part) => !/^(?:error|finish|thrown): /.test(part))).toHaveLength(2)
  },
)

/** Runs an agent with a tool. Returns its text and the charge. */
async function runAgent(transport: Transport) {
  const { emulator, key, model } = open(transport)
  const cities: string[] = []
  const execute = async ({ city }: { city: string }) => {
    cities.push(city)
    return '21 degrees'
  }
  const inputSchema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } })
  const tools = { get_weather: tool({ inputSchema, execute }) }
  const result = streamText({ model, prompt: 'Is it warm?', tools, stopWhen: stepCountIs(3), maxRetries: 0 })
  return { text: await result.text, cities, charged: emulator.balance(key)?.chargedUnits }
}

test('the AI SDK runs the same tool loop in process and through a socket', async () => {
  const overSocket = await runAgent('socket')
  expect(overSocket).toMatchObject({ text: 'It is warm.', cities: ['Paris'] })
  expect(await runAgent('in process')).toEqual(overSocket)
})
