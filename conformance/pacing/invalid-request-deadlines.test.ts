import { expect, test } from 'vitest'
import { createScriptedExchange } from '../sections/shared/scripted-context.ts'
import { InvalidRequestDeadlines } from './invalid-request-deadlines.ts'

const CEILING_MS = 120_000

function createDeadlines(
  responsesMs: readonly number[],
  { ceilingMs = CEILING_MS, errors = 3 } = {},
): InvalidRequestDeadlines {
  const deadlines = new InvalidRequestDeadlines(ceilingMs)
  for (let count = 0; count < errors; count += 1)
    deadlines.record('models', { ...createScriptedExchange({ status: 401 }), totalMs: 10 })
  for (const totalMs of responsesMs) deadlines.record('chat', { ...createScriptedExchange({ status: 200 }), totalMs })
  return deadlines
}

function deadlinesOf(deadlines: InvalidRequestDeadlines, group: 'body' | 'key' = 'body'): number[] {
  return [false, true].map((isRepeat) => deadlines.idleMs({ operation: 'chat', group, isRepeat }))
}

test('the first invalid request of a group has 10 s, and its repeat 30 s', () => {
  expect(deadlinesOf(createDeadlines([10]))).toEqual([10_000, 30_000])
})

test('extends the deadline of an invalid request to four times the longest response, up to the deadline of the tester', () => {
  expect(deadlinesOf(createDeadlines([10, 5000]))).toEqual([20_000, 60_000])
  expect(deadlinesOf(createDeadlines([40_000]))).toEqual([CEILING_MS, CEILING_MS])
  expect(deadlinesOf(createDeadlines([10], { ceilingMs: 300 }))).toEqual([300, 300])
})

test('extends the deadline of an invalid request after a late error response', () => {
  const deadlines = createDeadlines([10])
  deadlines.record('chat', { ...createScriptedExchange({ status: 400 }), totalMs: 9000 })
  expect(deadlinesOf(deadlines)).toEqual([36_000, 108_000])
})

test('shortens the deadlines only of a group without responses: to 5 s, and to 2 s after three requests', () => {
  const deadlines = createDeadlines([10])
  deadlines.recordUnanswered('body')
  // The repeat keeps its deadline, because only some requests of the group may get no response, and others a late one.
  expect(deadlinesOf(deadlines)).toEqual([5000, 30_000])
  expect(deadlinesOf(deadlines, 'key')).toEqual([10_000, 30_000])
  for (let count = 1; count < 3; count += 1) deadlines.recordUnanswered('body')
  expect(deadlinesOf(deadlines)).toEqual([2000, 2000])
})

test('keeps the first deadline until the target has sent a few error responses', () => {
  const deadlines = createDeadlines([10], { errors: 2 })
  for (let count = 0; count < 3; count += 1) deadlines.recordUnanswered('body')
  expect(deadlinesOf(deadlines)).toEqual([10_000, 10_000])
})

test('the short deadlines are at least four times the average response', () => {
  const deadlines = createDeadlines([2000, 4000])
  deadlines.recordUnanswered('body')
  expect(deadlinesOf(deadlines)[0]).toBe(12_000)
})

test('the short deadlines are at least twice the longest error response, of any operation', () => {
  const deadlines = createDeadlines(Array.from({ length: 100 }, () => 10))
  deadlines.record('images', { ...createScriptedExchange({ status: 400 }), totalMs: 6000 })
  for (let count = 0; count < 3; count += 1) deadlines.recordUnanswered('body')
  expect(deadlinesOf(deadlines)).toEqual([12_000, 12_000])
})

test('uses the responses to all operations for an unknown endpoint', () => {
  const deadlines = createDeadlines([5000])
  expect(deadlines.idleMs({ operation: undefined, group: 'endpoint', isRepeat: false })).toBe(20_000)
})
