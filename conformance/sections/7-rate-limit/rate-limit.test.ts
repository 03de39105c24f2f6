import { describe, expect, test } from 'vitest'
import { isSummaryCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import { describeOutcome } from '../../findings/sentences.ts'
import { limitExceededCheck, otherKeyCheck, retryAfterCheck } from './rate-limit.ts'
import { recoveryCheck } from './recovery.ts'
import { CHECKS } from '../checks.ts'
import { createScriptedContext, createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'
import type { ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const SERVED: ScriptedResponse = { status: 200, body: '{"object":"chat.completion"}' }

/**
 * Creates a target that sends the given responses in order and then serves every request. Records waits instead of
 * waiting.
 */
function target(responses: readonly ScriptedResponse[]) {
  const rest = [...responses]
  const waits: number[] = []
  const context = {
    ...createScriptedContext(() => rest.shift() ?? SERVED),
    wait: async (ms: number) => {
      waits.push(ms)
    },
  }
  return { context, waits }
}

function limited(headers: Readonly<Record<string, string>> = {}, body = ''): ScriptedResponse {
  return { status: 429, headers: { 'content-type': 'application/json', ...headers }, body }
}

const NO_CREDITS: ScriptedResponse = { status: 402 }
const HELD = [NO_CREDITS, NO_CREDITS, SERVED]
const MANY_402 = Array.from({ length: 20 }, () => NO_CREDITS)

test.each([
  ['one 429 is enough', [SERVED, limited(), SERVED], 'pass'],
  ['a burst without a 429 is not testable', [SERVED, SERVED, SERVED], 'not-testable'],
  [
    'a 2xx without a result does not fail the limit if another request gets 429',
    [SERVED, { status: 200 }, limited()],
    'pass',
  ],
  ['a 503 is not testable', [SERVED, { status: 503 }, limited()], 'not-testable'],
  ['a 400 is not a rate limit', [SERVED, { status: 400 }, limited()], 'fail'],
  ['a 403 is not testable', [SERVED, { status: 403 }, limited()], 'not-testable'],
  ['a rejected key is not testable', [{ status: 401 }, { status: 401 }, { status: 401 }], 'not-testable'],
  ['a key that is rejected first is not testable', [{ status: 401 }, SERVED, { status: 401 }], 'not-testable'],
  ['a rejected key with a 429 in between is not testable', [limited(), { status: 401 }, limited()], 'not-testable'],
  [
    'a rejected key with another status is not testable',
    [{ status: 400 }, { status: 401 }, { status: 401 }],
    'not-testable',
  ],
  ['a 401 after a success fails', [SERVED, { status: 401 }, limited()], 'fail'],
  ['a key without credits is not testable', [NO_CREDITS, NO_CREDITS, SERVED, ...MANY_402], 'not-testable'],
  ['a key whose credits were held is not testable', [...HELD, SERVED, ...HELD, SERVED], 'not-testable'],
  ['the second burst may contain the 429', [NO_CREDITS, SERVED, SERVED, SERVED, limited()], 'pass'],
  ['a 402 for a key with credits fails', [NO_CREDITS, SERVED, SERVED, NO_CREDITS, SERVED], 'fail'],
  ['a key that is never served is not testable', [NO_CREDITS, NO_CREDITS, NO_CREDITS], 'not-testable'],
] as const)('evaluates a burst: %s', async (_name, responses, verdict) => {
  expect((await limitExceededCheck.run(target(responses).context)).verdict).toBe(verdict)
})

/**
 * Runs the check with a declared limit of `requests` in ten seconds. Each burst has three requests, and each request
 * takes `tookMs` milliseconds.
 */
async function evaluateDeclaredLimit(requests: number, responses: readonly ScriptedResponse[], tookMs = 1) {
  const { context } = target(responses)
  let sent = 0
  const timed: typeof context = {
    ...context,
    declared: { limitedRate: { requests, seconds: 10 } },
    async chat(...request) {
      const startedAtMs = sent++ * tookMs
      return { ...(await context.chat(...request)), startedAtMs, totalMs: tookMs }
    },
  }
  const { verdict, code, params } = await limitExceededCheck.run(timed)
  return { verdict, code, params, sent }
}

describe('with a declared limit', () => {
  const declared = { requests: 2, seconds: 10 }

  test('fails if the target serves two bursts that exceed the declared limit', async () => {
    expect(await evaluateDeclaredLimit(2, [])).toEqual({
      verdict: 'fail',
      code: 'limit-not-enforced',
      params: { requests: 3, rejected: 0, declared },
      sent: 6,
    })
  })

  test('passes if only the second burst gets a 429, because the first may be in two windows', async () => {
    expect(await evaluateDeclaredLimit(2, [SERVED, SERVED, SERVED, SERVED, limited()])).toMatchObject({
      verdict: 'pass',
      sent: 6,
    })
  })

  test('a declared limit is not testable if the bursts take longer than its window', async () => {
    expect(await evaluateDeclaredLimit(2, [], 2000)).toMatchObject({
      verdict: 'not-testable',
      code: 'limit-not-reached',
      params: { requests: 3, declared },
    })
  })

  test('a declared limit is not testable if the burst does not exceed it', async () => {
    expect(await evaluateDeclaredLimit(3, [])).toMatchObject({
      verdict: 'not-testable',
      code: 'limit-not-reached',
      sent: 3,
    })
  })

  test('a 403 instead of a 429 fails, and a 503 is left to the breakdown check', async () => {
    expect(await evaluateDeclaredLimit(2, [SERVED, SERVED, { status: 403 }])).toMatchObject({
      verdict: 'fail',
      code: 'unexpected-status',
      params: { actualStatus: 403 },
    })
    expect(await evaluateDeclaredLimit(2, [SERVED, SERVED, { status: 503 }])).toMatchObject({
      verdict: 'not-testable',
      code: 'request-broke-down',
    })
  })
})

test('names the number of requests and the option if no limit is declared', async () => {
  const context = { ...target([]).context, declared: {} }
  const outcome = await limitExceededCheck.run(context)
  expect(outcome).toMatchObject({ verdict: 'not-testable', code: 'limit-not-reached', params: { requests: 3 } })
  expect(describeOutcome(outcome).actual).toMatch(
    /^none of 3 parallel chats got a 429.* limitedBurst .*limits\.limitedKey/,
  )
})

test.each([
  ['1', 'pass'],
  ['60', 'pass'],
  ['0', 'warn'],
  ['3600', 'pass'],
  ['0.5', 'pass'],
  ['soon', 'warn'],
  ['Fri, 01 Jan 2100 00:00:00 GMT', 'pass'],
  ['1000ms', 'warn'],
  ['Sat, 01 Jan 2000 00:00:00 GMT', 'pass'],
] as const)('a 429 with Retry-After %s results in the verdict %s', async (value, verdict) => {
  expect((await retryAfterCheck.run(target([limited({ 'retry-after': value })]).context)).verdict).toBe(verdict)
})

test('the Retry-After check is not testable if no request gets a 429', async () => {
  expect((await retryAfterCheck.run(target([]).context)).verdict).toBe('not-testable')
})

test('warns that a 429 lacks Retry-After', async () => {
  expect(await retryAfterCheck.run(target([limited()]).context)).toMatchObject({
    parallel: 3, // The command of the report sends a burst, because a single request gets no 429.
    verdict: 'warn',
    code: 'missing-header',
    params: { header: 'Retry-After' },
  })
})

const times = (count: number, response: ScriptedResponse): readonly ScriptedResponse[] =>
  Array.from({ length: count }, () => response)

test('retries the key after the longest Retry-After of the burst, once in parallel with other checks', async () => {
  const once = target([limited({ 'retry-after': '3' }), limited({ 'retry-after': '7' }), limited()])
  expect((await recoveryCheck.run(once.context)).verdict).toBe('pass')
  expect(once.waits).toEqual([7000])
})

test('repeats the burst alone, with several retries, if the parallel retry failed', async () => {
  const later = target([...times(3 + 1, limited()), ...times(3 + 2, limited())])
  expect((await recoveryCheck.run(later.context)).verdict).toBe('pass')
  expect(later.waits).toEqual([1000, 1000, 1000, 5000])
})

test('warns if the target serves the key more than a second after Retry-After', async () => {
  const limitedFor = limited({ 'retry-after': '7' })
  const inTime = target([...times(3 + 1, limitedFor), ...times(3, limitedFor), limited()])
  expect(await recoveryCheck.run(inTime.context)).toMatchObject({
    verdict: 'pass',
    params: { seen: { kind: 'recovered', retryAfterS: 7, waitedS: 8 } },
  })
  const late = target([...times(3 + 1, limitedFor), ...times(3, limitedFor), limited(), limited()])
  expect(await recoveryCheck.run(late.context)).toMatchObject({
    verdict: 'warn',
    code: 'not-recovered',
    params: { retryAfterS: 7, waitedS: 13 },
  })
})

test('does not count a retry as timely recovery if unused requests of the limit may have allowed it', async () => {
  const limitedFor = limited({ 'retry-after': '1' })
  const lucky = target([...times(3, limitedFor), SERVED, ...times(3 + 1, limitedFor), ...times(3 + 2, limitedFor)])
  expect(await recoveryCheck.run(lucky.context)).toMatchObject({
    verdict: 'warn',
    code: 'not-recovered',
    params: { retryAfterS: 1, waitedS: 7 },
  })
  expect(lucky.waits).toEqual([1000, 1000, 1000, 1000, 5000])
})

test('the recovery check sends no more requests than it declares, even if the target always rejects the key', async () => {
  const burst = [...times(7, SERVED), ...times(20, limited())]
  const late = [...burst, ...times(6, limited()), SERVED]
  const responses = [...burst, limited(), ...late, ...late]
  let sent = 0
  const context = { ...createScriptedContext(() => responses[sent++] ?? SERVED), limitedBurst: 20 }
  await recoveryCheck.run(context)
  expect(sent).toBe(responses.length)
  expect(sent).toBeLessThanOrEqual(recoveryCheck.cost.requests)
})

test('sends bursts alone, and retries in parallel with other checks', async () => {
  const limitedFor = limited({ 'retry-after': '1' })
  const { context } = target([...times(3, limitedFor), SERVED, ...times(3, limitedFor), SERVED])
  const sent = { alone: 0, beside: 0 }
  let place: keyof typeof sent = 'beside'
  const counting: typeof context = {
    ...context,
    chat(...request) {
      sent[place] += 1
      return context.chat(...request)
    },
    async alone(work) {
      place = 'alone'
      const result = await work()
      place = 'beside'
      return result
    },
  }
  expect((await recoveryCheck.run(counting)).verdict).toBe('pass')
  expect(sent).toEqual({ alone: 6, beside: 2 })
})

test('ignores a late retry that ran in parallel with other checks', async () => {
  const { context } = target([limited(), limited(), limited()])
  let sent = 0
  const after = (lateMs: number): typeof context => ({
    ...context,
    chat: async () => ({
      ...createScriptedExchange(sent < context.limitedBurst ? limited() : SERVED),
      startedAtMs: sent++ < context.limitedBurst ? 0 : 1000 + lateMs,
    }),
  })
  expect((await recoveryCheck.run(after(900))).verdict).toBe('pass')
  sent = 0
  expect((await recoveryCheck.run(after(1100))).verdict).toBe('not-testable')
})

test('detects a limit that sends 402 in the burst of another check', async () => {
  // The limit still applies when the second check starts, so a new burst would get only 402s, as without credits.
  const { context } = target([SERVED, ...times(4, NO_CREDITS), SERVED])
  let kept: readonly Exchange[] | undefined
  const sharing: typeof context = {
    ...context,
    async share(_name, work) {
      const responses = kept ?? (await work.send())
      if (work.isUseful?.(responses) === true) kept = responses
      return responses
    },
  }
  expect((await retryAfterCheck.run(sharing)).verdict).toBe('not-testable')
  expect(await limitExceededCheck.run(sharing)).toMatchObject({ verdict: 'fail', code: 'limit-not-enforced' })
})

test('allows only checks that can run alone to use the limited key', () => {
  const users = CHECKS.filter((check) => !isSummaryCheck(check) && check.needs.includes('limited'))
  expect(users.filter(({ alone, first }) => alone !== true && first !== true).map(({ id }) => id)).toEqual([])
  expect(users.filter(({ first }) => first === true)).toEqual([recoveryCheck])
})

test('warns if the target still rejects the key after the time of Retry-After', async () => {
  const never = target(times(50, limited({ 'retry-after': '30' })))
  expect(await recoveryCheck.run(never.context)).toMatchObject({ verdict: 'warn', params: { waitedS: 31 } })
  expect(never.waits).toEqual([30_000, 30_000, 1000])
})

test.each([
  ['a Retry-After longer than half a minute', { 'retry-after': '600' }, 'key-rate-limited', 0],
  ['no Retry-After', {}, 'no-evidence', 28],
])('the recovery check is not testable with %s', async (_name, headers, code, waitedS) => {
  const never = target(times(50, limited(headers)))
  expect(await recoveryCheck.run(never.context)).toMatchObject({ verdict: 'not-testable', code })
  expect(never.waits.reduce((sum, waitMs) => sum + waitMs, 0)).toBe(waitedS * 1000)
})

const UNAUTHORIZED = { status: 401 }
const BURST = [limited(), limited(), limited()]

test.each([
  ['is served', [SERVED, ...BURST, SERVED, SERVED], 'pass', 'as-expected'],
  [
    'is rejected during the burst',
    [SERVED, ...BURST, limited(), SERVED, UNAUTHORIZED],
    'fail',
    'limit-shared-between-keys',
  ],
  [
    'is rejected after the burst',
    [SERVED, ...BURST, SERVED, limited(), UNAUTHORIZED],
    'fail',
    'limit-shared-between-keys',
  ],
  [
    'is rejected like a request without a key',
    [SERVED, ...BURST, limited(), SERVED, limited()],
    'observed',
    'observed-response',
  ],
  ['gets a 500', [SERVED, ...BURST, { status: 500 }, SERVED], 'not-testable', 'request-broke-down'],
  [
    'has exceeded its own limit',
    [SERVED, ...BURST, limited(), limited(), UNAUTHORIZED, SERVED, limited()],
    'not-testable',
    'no-evidence',
  ],
  ['is served while no limit is exceeded', [SERVED, SERVED, SERVED, SERVED, limited()], 'not-testable', 'no-evidence'],
] as const)('while one key is limited, evaluates another key that %s', async (_name, responses, verdict, code) => {
  const outcome = await otherKeyCheck.run(target(responses).context)
  expect(outcome).toMatchObject({ verdict, code })
})

test('does not blame the burst of one key for a 429 to another key if the target rejects requests at any rate', async () => {
  const { context } = target([SERVED, ...BURST, limited(), SERVED, UNAUTHORIZED])
  const outcome = await otherKeyCheck.run({ ...context, rejectsAtAnyRate: () => true })
  expect(outcome).toMatchObject({ verdict: 'not-testable', code: 'no-evidence' })
})
