import { expect, test } from 'vitest'
import type { Operation } from '../../contract/facts.ts'
import { createScriptedExchange } from '../sections/shared/scripted-context.ts'
import type { Check } from './check.ts'
import { DurationEstimate } from './expected-duration.ts'
import type { LoggedExchange } from './run-log.ts'

function check(id: string, requests: number, changes: Partial<Pick<Check, 'operation' | 'alone' | 'needs'>> = {}) {
  return { id, operation: 'chat' as const, needs: [], cost: { requests }, ...changes }
}

function logged(source: string, operation: Operation, totalMs: number, status = 200): LoggedExchange {
  const exchange = { ...createScriptedExchange({ status }), totalMs }
  return { source, operation, key: 'funded', kind: 'valid', request: 1, isFinal: true, exchange, form: undefined }
}

/** Returns `count` checks that declare eight requests each, and a log in which each check has sent `sent` requests. */
function ended(count: number, sent: number, totalMs: number) {
  const checks = Array.from({ length: count }, (_, index) => check(`ended ${index}`, 8))
  return { checks, log: checks.flatMap(({ id }) => Array.from({ length: sent }, () => logged(id, 'chat', totalMs))) }
}

function estimateAfter({ checks, log }: ReturnType<typeof ended>, left: readonly ReturnType<typeof check>[]) {
  const estimate = new DurationEstimate([...checks, ...left], log)
  for (const { id } of checks) estimate.end(id)
  return estimate
}

test('estimates the remaining duration from the requests of completed checks and the duration of responses', () => {
  const estimate = estimateAfter(ended(25, 4, 2000), [check('a', 8), check('b', 8)])
  expect(estimate.requestsLeft).toBe(8)
  expect(estimate.remaining({ parallel: 4, requestsPerMinute: undefined })).toEqual({ remainingMs: 4000 })
  expect(estimate.remaining({ parallel: 1, requestsPerMinute: undefined })).toEqual({ remainingMs: 16_000 })
})

test('assumes at most six requests in flight, because each check sends its requests one after another', () => {
  const estimate = estimateAfter(ended(25, 8, 1000), [check('a', 8), check('b', 7)])
  for (const parallel of [6, 20, Infinity]) {
    expect(estimate.remaining({ parallel, requestsPerMinute: undefined })).toEqual({ remainingMs: 2500 })
  }
})

test('the expected duration excludes requests that a check has already sent', () => {
  const run = ended(25, 8, 1000)
  const estimate = estimateAfter(run, [check('a', 8)])
  run.log.push(...Array.from({ length: 5 }, () => logged('a', 'chat', 1000)))
  expect(estimate.remaining({ parallel: 1, requestsPerMinute: undefined })).toEqual({ remainingMs: 3000 })
})

test('assumes few requests of a check that sends more only after rejections', () => {
  expect(estimateAfter(ended(25, 8, 1000), [check('a', 100)]).requestsLeft).toBe(8)
})

test('estimates each operation by the duration of its own responses', () => {
  const run = ended(25, 8, 1000)
  run.log.push(...Array.from({ length: 10 }, () => logged('discover images', 'images', 8000)))
  const estimate = estimateAfter(run, [check('a', 4, { operation: 'images' })])
  expect(estimate.remaining({ parallel: 1, requestsPerMinute: undefined })).toEqual({ remainingMs: 32_000 })
})

test('uses the rate limit of the key if it determines the duration, and reports the rate', () => {
  const estimate = estimateAfter(ended(25, 8, 100), [check('a', 8), check('b', 8)])
  const remaining = (requestsPerMinute: number) => estimate.remaining({ parallel: 5, requestsPerMinute })
  expect(remaining(60)).toEqual({ remainingMs: 16_000, requestsPerMinute: 60 })
  expect(remaining(60_000)).toEqual({ remainingMs: 320 })
})

test('assumes that checks with `alone` run one after another, and that requests of a burst are parallel', () => {
  const alone = { alone: true } as const
  const left = [check('a', 8, alone), check('b', 8), check('c', 80, { ...alone, needs: ['burst'] })]
  const estimate = estimateAfter(ended(25, 8, 1000), left)
  expect(estimate.remaining({ parallel: 5, requestsPerMinute: undefined }).remainingMs).toBe(8000 + 1600 + 10_000)
})

test('assumes the success rate of a conforming target while the first responses arrive', () => {
  const run = ended(25, 8, 1000)
  const left = [check('a', 4, { operation: 'images' })]
  const remaining = () => estimateAfter(run, left).remaining({ parallel: 1, requestsPerMinute: undefined }).remainingMs
  run.log.push(logged('discover images', 'images', 8000))
  expect(remaining()).toBeCloseTo(4 * 8000 * 0.15)
  run.log.push(...Array.from({ length: 20 }, () => logged('b', 'images', 10, 400)))
  expect(remaining()).toBeCloseTo(4 * (8000 * 0.15 + 10 * 0.85))
  run.log.push(...Array.from({ length: 21 }, () => logged('b', 'images', 8000)))
  expect(remaining()).toBeCloseTo((4 * (8000 * 22 + 10 * 20)) / 42)
})

test('includes the duration of error responses of a target that rejects requests slowly', () => {
  const run = ended(25, 8, 1000)
  run.log.push(logged('discover images', 'images', 20_000), logged('b', 'images', 20_000, 400))
  const estimate = estimateAfter(run, [check('a', 4, { operation: 'images' })])
  expect(estimate.remaining({ parallel: 1, requestsPerMinute: undefined }).remainingMs).toBeCloseTo(80_000)
})
