import { describe, expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import type { RequestKind } from '../requests/classify-request.ts'
import { decideNextStep, startAttempts } from './attempt-policy.ts'

const MAX_ATTEMPTS = 6
const CHAT: ApiRequest = { method: 'POST', path: '/v1/chat/completions', headers: {}, key: 'funded' }

/**
 * Sends a request to a target that always returns 429 with these headers, until the policy ends it.
 * @returns the number of attempts, and the obstacle that stops the check
 */
function sendUntilFinal(options: {
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: ApiRequest['key']
  readonly obstacle?: RunObstacle
  readonly retryRateLimited?: boolean
}) {
  const attempts = startAttempts(1, 'valid')
  const request = { ...CHAT, key: options.key ?? 'funded' }
  const dispatched = { request, retryRateLimited: options.retryRateLimited ?? true }
  const exchange = createScriptedExchange({ status: 429, headers: options.headers ?? {} }, request)
  const decide = () =>
    decideNextStep(
      dispatched,
      { exchange, health: 'alive', isControlServed: true, obstacle: () => options.obstacle },
      attempts,
    )
  let sent = 1
  let next = decide()
  while (sent <= MAX_ATTEMPTS && next.delayMs !== undefined) {
    sent += 1
    next = decide()
  }
  return { sent, obstacle: next.obstacle }
}

interface Target {
  readonly headers?: Readonly<Record<string, string>>
  readonly health?: 'alive' | 'back'
  readonly kind?: RequestKind
  readonly isControlServed?: boolean
  /** Body of each response with status 200. */
  readonly body?: string
}

/** Sends a request that gets these statuses in order. Returns the delay after each one. */
function delaysAfter(statuses: readonly number[], target: Target = {}) {
  const { headers = {}, health = 'alive', kind = 'valid', isControlServed = true, body = '{"choices":[]}' } = target
  const attempts = startAttempts(1, kind)
  return statuses.map((status) => {
    const exchange = createScriptedExchange({ status, headers, body: status === 200 ? body : '' }, CHAT)
    const ended = { exchange, health, isControlServed, obstacle: () => undefined }
    return decideNextStep({ request: CHAT }, ended, attempts).delayMs
  })
}

describe('a rejected request with the funded key', () => {
  test('is repeated once if it is valid', () => {
    expect(delaysAfter([400, 400])).toEqual([0, undefined])
    expect(delaysAfter([404, 200])).toEqual([0, undefined])
  })

  test('is repeated after a 401 or 402, even if it is not valid', () => {
    expect(delaysAfter([400], { kind: 'invalid' })).toEqual([undefined])
    expect(delaysAfter([402, 400], { kind: 'invalid' })).toEqual([0, undefined])
    expect(delaysAfter([401, 401], { kind: 'unspecified' })).toEqual([0, undefined])
  })

  test('is repeated after a 2xx without a result, unless its treatment is unspecified', () => {
    expect(delaysAfter([200, 200], { body: '' })).toEqual([0, undefined])
    expect(delaysAfter([200, 400], { body: '', kind: 'invalid' })).toEqual([0, undefined])
    expect(delaysAfter([200], { body: '', kind: 'unspecified' })).toEqual([undefined])
  })

  test('is not repeated if the target does not serve the control request', () => {
    expect(delaysAfter([400], { isControlServed: false })).toEqual([undefined])
  })
})

describe('a request that breaks down', () => {
  test('is repeated after a 2xx with an error in the body, without a pause if it is not valid', () => {
    const body = '{"error":{"message":"busy"}}'
    expect(delaysAfter([200, 200], { body })).toEqual([1000, undefined])
    expect(delaysAfter([200, 400], { body, kind: 'invalid' })).toEqual([0, undefined])
  })

  test('is repeated after a second, and once more, because the target may have been down meanwhile', () => {
    expect(delaysAfter([500, 500, 500])).toEqual([1000, 0, undefined])
    expect(delaysAfter([500, 500, 200])).toEqual([1000, 0, undefined])
    expect(delaysAfter([500, 200])).toEqual([1000, undefined])
  })

  test('is repeated after its Retry-After of at most ten seconds', () => {
    expect(delaysAfter([503], { headers: { 'retry-after': '4' } })).toEqual([4000])
    expect(delaysAfter([503], { headers: { 'retry-after': '600' } })).toEqual([10_000])
  })

  test('is repeated once more if the target was down and responds again', () => {
    expect(delaysAfter([500, 500, 500], { health: 'back' })).toEqual([1000, 0, undefined])
  })
})

describe('a request that gets only 429s', () => {
  test('a request that gets only 429s without Retry-After stops its check as rate-limited', () => {
    expect(sendUntilFinal({})).toEqual({
      sent: MAX_ATTEMPTS,
      obstacle: { code: 'rate-limited', params: { retryAfterMs: 0 } },
    })
  })

  test('a request that gets only 429s stops its check with the wait in Retry-After', () => {
    const { obstacle } = sendUntilFinal({ headers: { 'retry-after': '3' } })
    expect(obstacle).toEqual({ code: 'rate-limited', params: { retryAfterMs: 3000 } })
  })

  test('does not repeat a request if Retry-After exceeds the wait that the run allows', () => {
    const obstacle: RunObstacle = { code: 'rate-limited', params: { retryAfterMs: 600_000 } }
    expect(sendUntilFinal({ obstacle })).toEqual({ sent: 1, obstacle })
  })

  test('a request that gets only 429s stops its check with a different obstacle if the key is invalid', () => {
    const { obstacle } = sendUntilFinal({ key: 'invalid' })
    expect(obstacle).toEqual({ code: 'invalid-keys-rate-limited', params: {} })
  })

  test('does not repeat a request with a 429 if its check tests the limit of the key', () => {
    expect(sendUntilFinal({ key: 'limited' })).toEqual({ sent: 1, obstacle: undefined })
    expect(sendUntilFinal({ retryRateLimited: false })).toEqual({ sent: 1, obstacle: undefined })
  })
})
