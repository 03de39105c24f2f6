import { describe, expect, test } from 'vitest'
import { createScriptedExchange } from '../checks/scripted-context.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { AttemptPolicy, type EndedAttempt, startAttempts } from './attempt-policy.ts'
import { RequestScope } from './request-scope.ts'

const MAX_ATTEMPTS = 6

/**
 * Sends a request to a target that always returns 429 with these headers, until the policy ends it.
 * @returns the number of attempts, and the obstacle that stopped the check
 */
function sendUntilFinal(options: {
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: ApiRequest['key']
  readonly obstacle?: RunObstacle
  readonly retryRateLimited?: boolean
}) {
  const policy = new AttemptPolicy()
  const scope = new RequestScope('tag', { name: '4.2/model', operation: 'chat' })
  const attempts = startAttempts(1, 'valid')
  const request: ApiRequest = {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {},
    key: options.key ?? 'funded',
  }
  const ended: EndedAttempt = {
    request,
    exchange: createScriptedExchange({ status: 429, headers: options.headers ?? {} }, request),
    health: 'alive',
    retryRateLimited: options.retryRateLimited ?? true,
    repeatStreamErrors: true,
    isRepeatUseless: false,
    obstacle: () => options.obstacle,
  }
  let sent = 1
  while (sent <= MAX_ATTEMPTS && policy.delayMs(scope, ended, attempts) !== undefined) sent += 1
  return { sent, obstacle: scope.obstacle, rateLimited: policy.rateLimited }
}

describe('a request that gets only 429s', () => {
  test('a request that gets only 429s without Retry-After stops its check as rate-limited', () => {
    expect(sendUntilFinal({})).toEqual({
      sent: MAX_ATTEMPTS,
      obstacle: { code: 'rate-limited', params: { retryAfterMs: 0 } },
      rateLimited: MAX_ATTEMPTS,
    })
  })

  test('a request that gets only 429s stops its check with the wait in Retry-After', () => {
    const { obstacle } = sendUntilFinal({ headers: { 'retry-after': '3' } })
    expect(obstacle).toEqual({ code: 'rate-limited', params: { retryAfterMs: 3000 } })
  })

  test('does not repeat a request if Retry-After exceeds the wait that the run allows', () => {
    const obstacle: RunObstacle = { code: 'rate-limited', params: { retryAfterMs: 600_000 } }
    expect(sendUntilFinal({ obstacle })).toEqual({ sent: 1, obstacle, rateLimited: 1 })
  })

  test('a request that gets only 429s stops its check with a different obstacle if the key is invalid', () => {
    const { obstacle } = sendUntilFinal({ key: 'invalid' })
    expect(obstacle).toEqual({ code: 'invalid-keys-rate-limited', params: {} })
  })

  test('does not repeat a request with a 429 if its check tests the limit of the key', () => {
    expect(sendUntilFinal({ key: 'limited' })).toEqual({ sent: 1, obstacle: undefined, rateLimited: 0 })
    expect(sendUntilFinal({ retryRateLimited: false })).toEqual({ sent: 1, obstacle: undefined, rateLimited: 1 })
  })
})
