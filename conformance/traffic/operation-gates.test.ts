import { expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import type { Exchange } from '../http/exchange.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { OperationGates } from './operation-gates.ts'

const CHAT: ApiRequest = { method: 'POST', path: '/v1/chat/completions', headers: {}, key: 'funded' }
const STREAM: ApiRequest = { ...CHAT, body: Buffer.from('{"stream":true}') }
const KEYLESS: ApiRequest = { method: 'GET', path: '/v1/models', headers: {}, key: 'none' }
const SERVED = createScriptedExchange({ status: 200 })
const BROKEN = createScriptedExchange({ status: 500 })
const ERROR_IN_STREAM = createScriptedExchange({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: 'data: {"error":{"message":"overloaded"}}\n\n',
})

/** Creates gates whose control requests get these responses in order. The last response repeats. */
function createGates(...responses: readonly (Exchange | undefined)[]) {
  const sent: string[] = []
  const gates = new OperationGates({
    async sendControl(gate, isAgain) {
      sent.push(isAgain ? `${gate} again` : gate)
      const response = responses[Math.min(sent.length, responses.length) - 1]
      return response === undefined ? undefined : { request: CHAT, response }
    },
    pause: () => Promise.resolve(),
  })
  return { gates, sent }
}

test('sends each control request once, and in a fixed order for any order of requests', async () => {
  const { gates, sent } = createGates(SERVED)
  await Promise.all([gates.decide(STREAM), gates.decide(CHAT), gates.decide(STREAM)])
  expect(sent).toEqual(['chat', 'chat-stream'])
  expect(gates.obstacle(STREAM)).toBeUndefined()
  expect(gates.findControl('chat')).toEqual({ isServed: true, request: CHAT, totalMs: SERVED.totalMs })
})

test.each([
  ['breaks down', BROKEN, { actualStatus: 500 }],
  ['reports an error in its stream', ERROR_IN_STREAM, { actualStatus: 200, isErrorInStream: true }],
])('closes an operation whose control request %s three times, and no other one', async (_how, broken, response) => {
  const { gates, sent } = createGates(SERVED, broken)
  await gates.decide(STREAM)
  expect(sent).toEqual(['chat', 'chat-stream', 'chat-stream again', 'chat-stream again'])
  expect(gates.obstacle(STREAM)).toEqual({
    code: 'operation-broke-down',
    params: { operation: 'chat', isStream: true, ...response },
  })
  for (const other of [CHAT, { ...CHAT, method: 'GET' }]) expect(gates.obstacle(other)).toBeUndefined()
  expect(gates.findControl('chat-stream')).toBeUndefined()
})

test('opens an operation that responds to its control request after a breakdown', async () => {
  const { gates, sent } = createGates(BROKEN, createScriptedExchange({ status: 400 }))
  await gates.decide(CHAT)
  expect(sent).toHaveLength(2)
  expect(gates.obstacle(CHAT)).toBeUndefined()
})

test('closes an operation after a single control request that times out', async () => {
  const timedOut = createScriptedExchange({ status: 0, error: { kind: 'timeout', message: '' } })
  const { gates, sent } = createGates({ ...timedOut, totalMs: 60_000 })
  await gates.decide(CHAT)
  expect(sent).toHaveLength(1)
  expect(gates.obstacle(CHAT)).toEqual({
    code: 'operation-timed-out',
    params: { operation: 'chat', timeoutMs: 60_000 },
  })
})

test('sends no streams and no other methods if chats time out', async () => {
  const { gates, sent } = createGates(createScriptedExchange({ status: 0, error: { kind: 'timeout', message: '' } }))
  await gates.decide(STREAM)
  expect(sent).toEqual(['chat'])
  expect(gates.obstacle(STREAM)?.code).toBe('operation-timed-out')
  expect(gates.obstacle({ ...CHAT, method: 'GET' })?.code).toBe('operation-timed-out')
})

test('closes an operation whose control request only gets 429s', async () => {
  const { gates } = createGates(createScriptedExchange({ status: 429, headers: { 'retry-after': '7' } }))
  await gates.decide(CHAT)
  expect(gates.obstacle(CHAT)).toEqual({ code: 'rate-limited', params: { retryAfterMs: 7000 } })
})

test('sends no more invalid keys after a 429 to one, but still sends them after a breakdown', async () => {
  const limited = createGates(SERVED, createScriptedExchange({ status: 429 }))
  await limited.gates.decide(KEYLESS)
  expect(limited.sent).toEqual(['models', 'invalid-key'])
  expect(limited.gates.obstacle(KEYLESS)?.code).toBe('invalid-keys-rate-limited')
  expect(limited.gates.obstacle({ ...KEYLESS, key: 'funded' })).toBeUndefined()
  const broken = createGates(SERVED, BROKEN)
  await broken.gates.decide(KEYLESS)
  expect(broken.gates.obstacle(KEYLESS)).toBeUndefined()
})

test('decides nothing about a path without an operation, and opens an operation without a control request', async () => {
  const { gates, sent } = createGates(undefined)
  await gates.decide({ ...CHAT, path: '/v1/unknown' })
  expect(sent).toEqual([])
  await gates.decide(CHAT)
  expect(gates.obstacle(CHAT)).toBeUndefined()
})
