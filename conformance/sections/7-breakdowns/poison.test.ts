import { expect, test } from 'vitest'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'
import type { Exchange, RequestSpec } from '../../http/exchange.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { findPoison } from './poison.ts'

type Sent = readonly [status: number | 'aborted' | 'timeout', kind?: LoggedExchange['kind'], text?: string]

function exchangeOf(status: Sent[0], request: RequestSpec): Exchange {
  if (status === 'aborted') return { ...createScriptedExchange({ status: 200 }, request), wasAborted: true }
  return status === 'timeout'
    ? createScriptedExchange({ status: 0, error: { kind: 'timeout', message: '' } }, request)
    : createScriptedExchange({ status }, request)
}

/** Returns the log of requests that are sent one after another. By default, they are valid and have different texts. */
function logOf(all: readonly Sent[]): LoggedExchange[] {
  return all.map(([status, kind = 'valid', text], index) => {
    const body = Buffer.from(text ?? `chat ${index}`)
    const request = { method: 'POST', path: '/v1/chat/completions', headers: {}, body }
    const exchange = { ...exchangeOf(status, request), startedAtMs: 10 * index, totalMs: 5 }
    return {
      source: `check ${index}`,
      operation: 'chat',
      key: 'funded',
      kind,
      request: index,
      isFinal: true,
      exchange,
      form: undefined,
    }
  })
}

const poisonOf = (...all: readonly Sent[]): string | undefined => findPoison(logOf(all))?.poison.source

test('finds the unusual request after which every new request breaks down', () => {
  expect(poisonOf([200], [200], [200], [500, 'invalid'], [500], [500], [500])).toBe('check 3')
})

test('ignores requests that the target has served before, because a cache may serve them again', () => {
  expect(poisonOf([200, 'valid', 'a'], [200], [200], [500, 'invalid'], [500], [200, 'valid', 'a'], [500], [500])).toBe(
    'check 3',
  )
})

test('finds none if a new request is served later, or if a valid request breaks down first', () => {
  expect(poisonOf([200], [200], [200], [500, 'invalid'], [500], [500], [500], [200])).toBeUndefined()
  expect(poisonOf([200], [200], [200], [500], [500, 'invalid'], [500], [500])).toBeUndefined()
})

test('finds the request that the client aborted, and after which every new request breaks down or times out', () => {
  expect(poisonOf([200], [200], [200], ['aborted'], [503], [503], [503])).toBe('check 3')
  expect(poisonOf([200], [200], [200], ['aborted'], ['timeout'], ['timeout'], ['timeout'])).toBe('check 3')
  expect(poisonOf([200], [200], ['aborted'], [200], [503], [503], [503])).toBeUndefined()
})

test('does not take an invalid request with a shorter deadline for the reason of an earlier silence', () => {
  const log = logOf([[200], [200], [200], ['timeout'], ['timeout', 'invalid'], ['timeout'], ['timeout'], ['timeout']])
  for (const { exchange, kind } of log.slice(3)) Object.assign(exchange, { totalMs: kind === 'invalid' ? 1000 : 3000 })
  for (const { exchange } of log.slice(5)) Object.assign(exchange, { startedAtMs: 5000 })
  expect(findPoison(log)).toBeUndefined()
})
