import { expect, test } from 'vitest'
import type { Operation } from '../../contract/facts.ts'
import { scriptedExchange } from '../checks/scripted-context.ts'
import type { Check } from './check.ts'
import { DurationEstimate } from './expected-duration.ts'
import type { LoggedExchange } from './run-log.ts'

function check(id: string, requests: number, changes: Partial<Pick<Check, 'operation' | 'alone' | 'needs'>> = {}) {
  return { id, operation: 'chat' as const, needs: [], cost: { requests }, ...changes }
}

function logged(source: string, operation: Operation, totalMs: number): LoggedExchange {
  const exchange = { ...scriptedExchange({ status: 200 }), totalMs }
  return { source, operation, key: 'funded', kind: 'valid', request: 1, isFinal: true, exchange, form: undefined }
}

/** So many that the share of sent requests counts. */
const MANY = 100

test('expects the requests of the checks that are left, as long as their responses take', () => {
  const log = [logged('discover chat', 'chat', 2000), logged('discover images', 'images', 8000)]
  const estimate = new DurationEstimate(
    [check('a', MANY), check('b', 10), check('c', 10, { operation: 'images' })],
    log,
  )
  log.push(...Array.from({ length: MANY }, () => logged('a', 'chat', 2000)))
  estimate.end('a')
  // Check a sent all of its requests, so the others are expected to do the same.
  expect(estimate.requestsLeft).toBe(20)
  expect(estimate.remaining({ parallel: 4, requestsPerMinute: undefined })).toEqual({ remainingMs: 25_000 })
  expect(estimate.remaining({ parallel: 1, requestsPerMinute: undefined })).toEqual({ remainingMs: 100_000 })
})

test('expects as many requests as the finished checks sent of those they declare', () => {
  const log = Array.from({ length: MANY / 2 }, () => logged('a', 'chat', 1000))
  const estimate = new DurationEstimate([check('a', MANY), check('b', 40)], log)
  estimate.end('a')
  expect(estimate.requestsLeft).toBe(20)
  log.push(...Array.from({ length: 5 }, () => logged('b', 'chat', 1000)))
  expect(estimate.remaining({ parallel: 1, requestsPerMinute: undefined }).remainingMs).toBe(15_000)
})

test('expects the rate of the key where that takes longer, and names it', () => {
  const log = Array.from({ length: MANY }, () => logged('a', 'chat', 100))
  const estimate = new DurationEstimate([check('a', MANY), check('b', 60)], log)
  estimate.end('a')
  expect(estimate.remaining({ parallel: 8, requestsPerMinute: 60 })).toEqual({
    remainingMs: 60_000,
    requestsPerMinute: 60,
  })
  expect(estimate.remaining({ parallel: 8, requestsPerMinute: 6000 })).toEqual({ remainingMs: 750 })
})

test('counts checks that run alone one after another', () => {
  const log = Array.from({ length: MANY }, () => logged('a', 'chat', 1000))
  const estimate = new DurationEstimate([check('a', MANY), check('b', 10, { alone: true }), check('c', 10)], log)
  estimate.end('a')
  expect(estimate.remaining({ parallel: 10, requestsPerMinute: undefined }).remainingMs).toBe(11_000)
})
