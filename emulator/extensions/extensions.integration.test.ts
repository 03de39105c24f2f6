import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { startEmulator } from '../start-emulator.ts'

const MODEL = 'vendora-v4-flash'
const MESSAGE = 'Hello.'

test('lists the enabled extensions in the health check, and none by default', async () => {
  await using plain = await startEmulator()
  await using extended = await startEmulator({ extensions: ['embeddings'] })
  const readHealth = async (url: string): Promise<unknown> => (await fetch(`${url}/__emulator/health`)).json()
  expect(await readHealth(plain.url)).toEqual({ status: 'ok', inFlight: 0 })
  expect(await readHealth(extended.url)).toEqual({ status: 'ok', inFlight: 0, extensions: ['embeddings'] })
})

test('records requests to extensions in the request log, the metrics and the ledger', async () => {
  await using emulator = await startEmulator({ extensions: ['responses', 'embeddings'], answerTokens: 3 })
  const { id, key } = emulator.createAccount({ credits: '1' })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: key, maxRetries: 0 })
  const request = {
    model: MODEL,
    input: MESSAGE,
    reasoning: { effort: 'low' as const },
    tools: [{ type: 'web_search' as const }],
  }
  const { usage } = await client.responses.stream(request).finalResponse()
  const embedded = await client.embeddings.create({ model: MODEL, input: MESSAGE })
  const read = (path: string) => fetch(`${emulator.url}/__emulator/${path}`)

  const log: unknown = await (await read(`request-log?account=${id}&operation=responses`)).json()
  const tokens = usage?.total_tokens
  expect(log).toMatchObject({
    entries: [{ operation: 'responses', tokens, stream: true, ignoredFields: ['reasoning', 'tools.web_search'] }],
  })
  const others: unknown = await (await read('request-log?operation=embeddings')).json()
  expect(others).toMatchObject({ entries: [{ tokens: embedded.usage.total_tokens, path: '/v1/embeddings' }] })
  const metrics = await (await read('metrics')).text()
  expect(metrics).toContain('touchstone_requests_total{operation="responses",status="200"} 1')
  expect(metrics).toContain('touchstone_requests_total{operation="embeddings",status="200"} 1')
  expect(await (await read('invariant')).json()).toMatchObject({ holds: true })
})

test('injects faults into streams of responses: an early close, and a stream that never ends', async () => {
  const faults = ['operation=responses,header=x-cut,cutAfterEvents=6', 'operation=responses,header=x-endless,neverEnds']
  await using emulator = await startEmulator({ extensions: ['responses'], answerTokens: 3, faults })
  const client = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: emulator.keys.funded, maxRetries: 0 })
  const readTypes = async (header: string, limit: number) => {
    const types: string[] = []
    const request = { model: MODEL, input: MESSAGE, stream: true } as const
    const stream = await client.responses.create(request, { headers: { [header]: '1' } })
    const read = async () => {
      for await (const { type } of stream) if (types.push(type) === limit) break
    }
    const [result] = await Promise.allSettled([read()])
    return { types, isComplete: result.status === 'fulfilled' }
  }
  const cut = await readTypes('x-cut', 100)
  expect(cut.isComplete).toBe(false)
  expect(cut.types).toHaveLength(6)
  const endless = await readTypes('x-endless', 12)
  expect(endless.types.slice(4)).toEqual(Array.from({ length: 8 }, () => 'response.output_text.delta'))
})
