import { expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import { type AwaitedRequest, Deadlines } from './deadlines.ts'

const CHAT: AwaitedRequest = { operation: 'chat', isInvalid: false }
const INVALID_CHAT: AwaitedRequest = { operation: 'chat', isInvalid: true }
const LIST: AwaitedRequest = { operation: 'models', isInvalid: false }

const TIMEOUT = { error: { kind: 'timeout', message: '' } } as const

function response(totalMs: number, status = 200) {
  return { ...createScriptedExchange({ status }), totalMs }
}

function createDeadlines(ceilingMs = 120_000): Deadlines {
  const deadlines = new Deadlines(ceilingMs)
  deadlines.record('models', response(10))
  return deadlines
}

test('the deadline of a target that has not responded is 10 s', () => {
  const deadlines = new Deadlines(120_000)
  deadlines.record('chat', response(10, 0))
  expect(deadlines.idleMs(CHAT)).toBe(10_000)
  deadlines.record('models', response(10))
  expect(deadlines.idleMs(CHAT)).toBe(60_000)
})

test('the deadline is 60 s if the target may generate a result, and 20 s otherwise', () => {
  const deadlines = createDeadlines()
  expect([CHAT, INVALID_CHAT, LIST].map((request) => deadlines.idleMs(request))).toEqual([60_000, 20_000, 20_000])
})

test('extends the deadline to eight times the longest response of the operation, up to the deadline of the tester', () => {
  const deadlines = createDeadlines()
  deadlines.record('chat', response(9000))
  expect([CHAT, INVALID_CHAT, LIST].map((request) => deadlines.idleMs(request))).toEqual([72_000, 72_000, 20_000])
  deadlines.record('chat', response(30_000, 400))
  expect(deadlines.idleMs(INVALID_CHAT)).toBe(120_000)
  expect(createDeadlines(100).idleMs(CHAT)).toBe(100)
})

test('shortens the deadline of requests of a kind that gets no response, but not below eight times the longest response', () => {
  const deadlines = createDeadlines()
  deadlines.recordEnd(INVALID_CHAT, TIMEOUT)
  expect([CHAT, INVALID_CHAT].map((request) => deadlines.idleMs(request))).toEqual([60_000, 10_000])
  for (let count = 0; count < 8; count += 1) deadlines.recordEnd(INVALID_CHAT, TIMEOUT)
  expect(deadlines.idleMs(INVALID_CHAT)).toBe(2000)
  deadlines.record('chat', response(500))
  expect(deadlines.idleMs(INVALID_CHAT)).toBe(4000)
})
