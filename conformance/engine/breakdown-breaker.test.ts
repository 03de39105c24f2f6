import { describe, expect, test } from 'vitest'
import { createScriptedExchange } from '../checks/scripted-context.ts'
import type { Exchange } from '../http/exchange.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { BreakdownBreaker } from './breakdown-breaker.ts'

const RETEST_AFTER_MS = 5000
const TIMEOUT = { kind: 'timeout', message: 'no response' } as const

function chat(fields: object = {}): ApiRequest {
  const body = Buffer.from(JSON.stringify({ model: 'a', ...fields }))
  return { method: 'POST', path: '/v1/chat/completions', headers: {}, key: 'funded', body }
}

/** Creates a breaker whose tests get these statuses in turn, and then the last one again. Status 0 is a timeout. */
function createBreaker(...statuses: readonly number[]) {
  const tests: ApiRequest[] = []
  const pauses: number[] = []
  let nowMs = 0
  const send = (request: ApiRequest): Promise<Exchange> => {
    tests.push(request)
    const status = statuses[Math.min(tests.length, statuses.length) - 1] ?? 200
    const exchange = createScriptedExchange({ status }, request)
    return Promise.resolve(status === 0 ? { ...exchange, error: TIMEOUT } : exchange)
  }
  const breaker = new BreakdownBreaker(send, new AbortController().signal, {
    pause: (ms) => {
      pauses.push(ms)
      return Promise.resolve()
    },
    nowMs: () => nowMs,
  })
  return {
    breaker,
    tests,
    pauses,
    advance: (ms: number) => (nowMs += ms),
    /** Records a request that got the status twice. */
    end: (request: ApiRequest, status: number, kind: 'valid' | 'invalid' = 'valid') =>
      breaker.end({ request }, createScriptedExchange({ status }, request), {
        kind,
        hasBrokenDown: status >= 500,
        sentAtMs: 1,
      }),
    codeOf: async (request: ApiRequest, kind: 'valid' | 'invalid' = 'valid') =>
      (await breaker.obstacle({ request }, kind))?.code,
  }
}

const STOPPED = 'operation-broke-down'

describe('requests to an operation that always breaks down', () => {
  test('are stopped after three breakdowns in a row and three tests', async () => {
    const { breaker, end, codeOf, pauses } = createBreaker(502)
    await end(chat(), 502)
    await end(chat(), 502)
    expect(await codeOf(chat())).toBeUndefined()
    await end(chat(), 502)
    expect(await breaker.obstacle({ request: chat() }, 'valid')).toEqual({
      code: STOPPED,
      params: { operation: 'chat', actualStatus: 502 },
    })
    expect(pauses).toEqual([1000, 2000, 4000])
    // Another model may work. An error response to an invalid request requires no working model.
    expect(await codeOf(chat({ model: 'b' }))).toBeUndefined()
    expect(await codeOf(chat(), 'invalid')).toBeUndefined()
  })

  test('pass after a test that is served', async () => {
    const { end, codeOf, tests } = createBreaker(502, 200)
    for (let sent = 0; sent < 3; sent += 1) await end(chat(), 502)
    expect(await codeOf(chat())).toBeUndefined()
    expect(tests).toHaveLength(2)
  })

  test('pass if requests with the limited key broke down, because its limit may return 503', async () => {
    const { end, codeOf } = createBreaker(503)
    for (let sent = 0; sent < 3; sent += 1) await end({ ...chat(), key: 'limited' }, 503)
    expect(await codeOf(chat())).toBeUndefined()
  })

  test('pass after a test that times out, because a slow target may serve them', async () => {
    const { end, codeOf } = createBreaker(0)
    for (let sent = 0; sent < 3; sent += 1) await end(chat(), 502)
    expect(await codeOf(chat())).toBeUndefined()
  })

  test('pass again if a later test shows that the target has recovered', async () => {
    const { end, codeOf, advance } = createBreaker(502, 502, 502, 200)
    for (let sent = 0; sent < 3; sent += 1) await end(chat(), 502)
    expect(await codeOf(chat())).toBe(STOPPED)
    advance(RETEST_AFTER_MS - 1)
    expect(await codeOf(chat())).toBe(STOPPED)
    advance(1)
    expect(await codeOf(chat())).toBeUndefined()
  })

  test('are tested with a request that the target served before', async () => {
    const { end, codeOf, tests } = createBreaker(200)
    const served = chat({ max_tokens: 16 })
    await end(served, 200)
    for (let sent = 0; sent < 3; sent += 1) await end(chat({ temperature: 2 }), 502)
    expect(await codeOf(chat())).toBeUndefined()
    expect(tests).toEqual([served])
  })

  test('are stopped after one breakdown of a stream if requests without a stream are stopped', async () => {
    const { breaker, end, codeOf, tests } = createBreaker(502)
    for (let sent = 0; sent < 3; sent += 1) await end(chat(), 502)
    await codeOf(chat())
    const stream = chat({ stream: true })
    expect(await codeOf(stream)).toBeUndefined()
    await end(stream, 502)
    expect(await breaker.obstacle({ request: stream }, 'valid')).toMatchObject({ params: { isStream: true } })
    expect(tests).toHaveLength(4)
  })
})

describe('an invalid request that breaks down', () => {
  test('is not evidence if a request that was served before breaks down, too', async () => {
    const { end, tests } = createBreaker(503)
    await end(chat(), 200)
    expect(await end(chat({ temperature: 3 }), 502, 'invalid')).toEqual({
      code: STOPPED,
      params: { operation: 'chat', isOutage: true, actualStatus: 503 },
    })
    expect(tests).toEqual([chat()])
  })

  test('is evidence if the operation still serves valid requests', async () => {
    const { end } = createBreaker(200)
    await end(chat(), 200)
    expect(await end(chat({ temperature: 3 }), 502, 'invalid')).toBeUndefined()
  })
})
