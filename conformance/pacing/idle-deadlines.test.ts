import { expect, test } from 'vitest'
import { createScriptedExchange } from '../sections/shared/scripted-context.ts'
import { IdleDeadlines } from './idle-deadlines.ts'

const MAX_DEADLINE_MS = 120_000

function served(totalMs: number) {
  return { ...createScriptedExchange({ status: 200, body: '{}' }), totalMs }
}

test('the idle deadline of a target that has not responded is 10 s, and 15 s for a repeat', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  expect([deadlines.idleMs('chat', false), deadlines.idleMs('chat', true)]).toEqual([10_000, 15_000])
  deadlines.record('chat', createScriptedExchange({ status: 0, error: { kind: 'timeout', message: '' } }))
  expect(deadlines.idleMs('chat', false)).toBe(10_000)
  expect(new IdleDeadlines(100).idleMs('chat', true)).toBe(100)
})

test('extends the idle deadline of a request when the target has responded to another one', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  deadlines.record('models', served(10))
  expect(deadlines.idleMs('chat', false)).toBe(60_000)
})

test('the idle deadline of a generating operation is 60 s until it has responded five times', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  deadlines.record('models', served(10))
  deadlines.record('images', served(10))
  expect([deadlines.idleMs('images', false), deadlines.idleMs('models', false)]).toEqual([60_000, 20_000])
  for (let count = 1; count < 5; count += 1) deadlines.record('images', served(10))
  expect(deadlines.idleMs('images', false)).toBe(20_000)
})

test('adapts the idle deadline to the longest response of the operation, up to the deadline of the tester', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  for (let count = 0; count < 5; count += 1) deadlines.record('images', served(10))
  deadlines.record('images', served(5000))
  expect(deadlines.idleMs('images', false)).toBe(40_000)
  deadlines.record('images', served(30_000))
  expect(deadlines.idleMs('images', false)).toBe(MAX_DEADLINE_MS)
  expect(deadlines.idleMs('models', false)).toBe(20_000)
  expect(new IdleDeadlines(100).idleMs('chat', false)).toBe(100)
})

test('does not adapt the idle deadline to error responses, because they arrive sooner than results', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  for (let count = 0; count < 9; count += 1) deadlines.record('chat', createScriptedExchange({ status: 400 }))
  expect(deadlines.idleMs('chat', false)).toBe(60_000)
})

test('triples the idle deadline of a repeated request', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  deadlines.record('models', served(10))
  deadlines.record('chat', served(10))
  expect([deadlines.idleMs('models', true), deadlines.idleMs('chat', true)]).toEqual([60_000, MAX_DEADLINE_MS])
})

test('the idle deadline of an operation that has not responded is 60 s for chat and 120 s for media, and a third of it for a repeat', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  deadlines.record('models', served(10))
  expect([deadlines.idleMs('chat', false), deadlines.idleMs('chat', true)]).toEqual([60_000, 20_000])
  expect([deadlines.idleMs('images', false), deadlines.idleMs('images', true)]).toEqual([120_000, 40_000])
})

test('the idle deadline is 5 s or eight times the longest response after a request got no response, even when repeated', () => {
  const deadlines = new IdleDeadlines(MAX_DEADLINE_MS)
  deadlines.recordUnanswered('chat')
  deadlines.record('chat', served(10))
  expect([deadlines.idleMs('chat', false), deadlines.idleMs('chat', true)]).toEqual([5000, 5000])
  deadlines.record('chat', served(2000))
  expect(deadlines.idleMs('chat', false)).toBe(16_000)
  expect(deadlines.idleMs('models', false)).toBe(20_000)
})
