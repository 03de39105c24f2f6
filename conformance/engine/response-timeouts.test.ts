import { expect, test } from 'vitest'
import { createScriptedExchange } from '../sections/shared/scripted-context.ts'
import { type AwaitedRequest, ResponseTimeouts } from './response-timeouts.ts'

const CHAT = { method: 'POST', path: '/v1/chat/completions', headers: {}, key: 'funded' } as const
const TIMED_OUT = createScriptedExchange({ status: 0, error: { kind: 'timeout', message: '' } })

type Awaited = AwaitedRequest & { readonly request: typeof CHAT }

const VALID: Awaited = { request: CHAT, kind: 'valid', isRepeat: false }
const INVALID: Awaited = { ...VALID, kind: 'invalid' }

function createServing(): ResponseTimeouts {
  const timeouts = new ResponseTimeouts(120_000)
  timeouts.record(CHAT.path, { ...createScriptedExchange({ status: 200, body: '{}' }), totalMs: 10 })
  return timeouts
}

test('shortens the deadlines only of requests like one that got no response', () => {
  const timeouts = createServing()
  const usualMs = [timeouts.idleMs(VALID), timeouts.idleMs(INVALID)]
  timeouts.recordEnd(INVALID, TIMED_OUT)
  for (let count = 0; count < 3; count += 1) timeouts.record(CHAT.path, createScriptedExchange({ status: 400 }))
  expect(timeouts.idleMs(VALID)).toBe(usualMs[0])
  expect(timeouts.idleMs(INVALID)).toBeLessThan(usualMs[1] ?? 0)
  timeouts.recordEnd(VALID, TIMED_OUT)
  expect(timeouts.idleMs(VALID)).toBe(5000)
})

test('an invalid request has the usual deadline until the target has served the operation', () => {
  const timeouts = new ResponseTimeouts(120_000)
  timeouts.record('/v1/models', createScriptedExchange({ status: 200, body: '{}' }))
  expect(timeouts.idleMs(INVALID)).toBe(timeouts.idleMs(VALID))
  expect(createServing().idleMs(INVALID)).toBeLessThan(createServing().idleMs(VALID))
})

test('the longest wait includes a repeat, and counts only late responses', () => {
  const timeouts = createServing()
  const end = timeouts.begin(INVALID, 0, () => timeouts.idleMs(INVALID))
  expect(timeouts.maxWaitMs(100)).toBe(0)
  expect(timeouts.maxWaitMs(4000)).toBe(6000 + 30_000)
  timeouts.begin({ ...INVALID, isRepeat: true }, 0, () => 30_000)
  end()
  expect(timeouts.maxWaitMs(4000)).toBe(26_000)
})
