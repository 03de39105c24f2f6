import { describe, expect, test } from 'vitest'
import { describeOutcome } from '../../findings/sentences.ts'
import { UNKNOWN_MODEL } from '../7-errors/errors.ts'
import { repeat, SERVED, type Sent, summarize } from '../../testing/breakdown-log.ts'

describe('the breakdown check of an operation', () => {
  test('shows the simplest request first, and does not distinguish streams if nothing was served', () => {
    const all: Sent[] = [
      { attempts: [502, 502], text: '{"stream":true,"temperature":2}' },
      { attempts: [502, 502], text: '{}' },
    ]
    const { outcome, evidence = [] } = summarize('7/breakdown-chat', all)
    expect(outcome).toMatchObject({ params: { by: [{ actualStatus: 502, requests: 2 }] } })
    expect(Buffer.from(evidence[0]?.exchange.request.body ?? []).toString()).toBe('{}')
  })

  const verdictOf = (all: readonly Sent[]) => summarize('7/breakdown-chat', all).outcome.verdict

  test('the breakdown check fails once for all requests that broke down twice, with both attempts as evidence', () => {
    const all = [SERVED, { attempts: [503, 500] }, { attempts: ['reset', 500] }, { attempts: [500, 'closed-early'] }]
    const { outcome, evidence = [] } = summarize('7/breakdown-chat', all as Sent[])
    expect(outcome).toMatchObject({
      verdict: 'fail',
      code: 'requests-broke-down',
      params: {
        broken: 3,
        requests: 4,
        by: [
          { endpoint: 'POST /v1/chat/completions', actualStatus: 500, requests: 2 },
          { endpoint: 'POST /v1/chat/completions', actualStatus: 0, error: 'closed-early', requests: 1 },
        ],
      },
    })
    expect(evidence.map(({ exchange }) => exchange.status)).toEqual([503, 500, 500, 0, 0, 500])
  })

  test('counts a parallel request that broke down only when repeated, because it was repeated in parallel', () => {
    const group = { startsMs: [10, 20], parallel: 16 }
    const all: Sent[] = [SERVED, { ...group, attempts: [200, 'reset'] }, { ...group, attempts: ['reset', 200] }]
    expect(summarize('7/breakdown-chat', all).outcome).toMatchObject({
      verdict: 'fail',
      params: { broken: 1, by: [{ parallel: 16, error: 'reset', requests: 1 }] },
      parallel: 16,
    })
  })

  test('reports streams separately if the target served none', () => {
    const endpoint = 'POST /v1/chat/completions'
    const other: Sent = { attempts: [500, 500] }
    const stream: Sent = { ...other, isStream: true }
    const groupsOf = (all: readonly Sent[]) => summarize('7/breakdown-chat', all).outcome.params
    expect(groupsOf([SERVED, other, stream, stream])).toMatchObject({
      by: [
        { endpoint, stream: true, actualStatus: 500, requests: 2 },
        { endpoint, actualStatus: 500, requests: 1 },
      ],
    })
    expect(groupsOf([SERVED, { ...SERVED, isStream: true }, other, stream])).toMatchObject({
      by: [{ endpoint, actualStatus: 500, requests: 2 }],
    })
  })

  test('reports non-streaming requests separately if the target served only streams', () => {
    const served: Sent = { ...SERVED, isStream: true }
    const large: Sent = { attempts: [500, 500], text: ' '.repeat(2_000_000) }
    const preflight: Sent = { ...SERVED, method: 'OPTIONS' }
    const { outcome } = summarize('7/breakdown-chat', [served, preflight, { attempts: [500, 500] }, large])
    expect(outcome.params).toMatchObject({ by: [{ stream: false, actualStatus: 500, requests: 2 }] })
    expect(describeOutcome(outcome).actual).toContain(
      'POST /v1/chat/completions without stream true returned 500 2 times',
    )
  })

  test('names the model if the target served none of its requests or none of its streams', () => {
    const endpoint = 'POST /v1/chat/completions'
    const broken: Sent = { attempts: [503, 503], model: 'b' }
    const groupsOf = (...all: readonly Sent[]) => summarize('7/breakdown-chat', all).outcome.params
    const served = { ...SERVED, model: 'a' }
    const ofModel = { endpoint, actualStatus: 503, model: 'b' }
    expect(groupsOf(served, broken, { ...broken, isStream: true, model: 'b' }, { ...served, isStream: true })).toEqual({
      broken: 2,
      requests: 4,
      by: [{ ...ofModel, requests: 2 }],
    })
    const others = [served, { ...served, isStream: true }, { ...served, model: 'b' }]
    expect(groupsOf(...others, { ...broken, isStream: true })).toMatchObject({
      by: [{ ...ofModel, stream: true, requests: 1 }],
    })
    expect(groupsOf(...others, broken)).toMatchObject({ by: [{ endpoint, actualStatus: 503, requests: 1 }] })
    expect(groupsOf(...others, broken)).not.toHaveProperty('by.0.model')
    expect(groupsOf(broken)).not.toHaveProperty('by.0.model')
  })

  test('names a role or a parameter that no served request contains', () => {
    const message = (role: string) => JSON.stringify({ messages: [{ role }, { role: 'user' }] })
    const served = { ...SERVED, text: message('user') }
    const broken = (text: string): Sent => ({ attempts: [500, 500], text })
    const actualOf = (...all: Sent[]) => describeOutcome(summarize('7/breakdown-chat', all).outcome).actual
    expect(actualOf(served, broken(message('system')))).toContain('with a message of the role system returned 500')
    expect(actualOf(served, broken('{"messages":[],"seed":1}'))).toContain('with seed returned 500')
    const all = [
      { ...served, text: message('system') },
      { ...served, text: '{"seed":2}' },
    ]
    expect(actualOf(...all, broken('{"messages":[],"seed":1}'))).toContain('POST /v1/chat/completions returned 500')
  })

  test('the breakdown check passes if every repeat got a response, even an error response', () => {
    expect(verdictOf([SERVED, { attempts: [500, 200] }, { attempts: [500, 400] }])).toBe('pass')
  })

  test('evaluates unspecified requests but not invalid ones', () => {
    expect(verdictOf([SERVED, { attempts: [500, 500], kind: 'unspecified' }])).toBe('fail')
    expect(verdictOf([SERVED, { attempts: [500, 500], kind: 'invalid' }])).toBe('pass')
  })

  test.each<[string, Partial<Sent>]>([
    ['a request without a key', { key: 'none' }],
    ['an unknown model', { model: UNKNOWN_MODEL }],
    ['a body that is not JSON', { text: '{"model":' }],
  ])('does not fail for the breakdown of %s that another check reports', (_name, mistake) => {
    const broken: Sent = { attempts: [500, 500], kind: 'unspecified', ...mistake }
    expect(verdictOf([SERVED, broken, { ...broken, kind: 'invalid' }])).toBe('pass')
    expect(verdictOf([SERVED, broken, { ...broken, kind: 'invalid', attempts: [400] }])).toBe('fail')
    expect(verdictOf([SERVED, broken, { attempts: [500, 500], kind: 'invalid' }])).toBe('fail')
  })

  test('does not fail for the breakdown of a request with two mistakes if another check reports one of them', () => {
    const both: Sent = { attempts: [500, 500], kind: 'unspecified', key: 'none', text: '{"model":' }
    const malformed: Sent = { ...both, kind: 'invalid', key: 'funded' }
    expect(verdictOf([SERVED, both, malformed])).toBe('pass')
    expect(verdictOf([SERVED, both, { ...both, kind: 'invalid', text: '{}' }])).toBe('pass')
    expect(verdictOf([SERVED, both, { ...malformed, text: '{}' }])).toBe('fail')
  })

  test('fails for a valid request that breaks down like the same request with an invalid key', () => {
    const broken: Sent = { attempts: [500, 500], model: 'a' }
    expect(verdictOf([SERVED, broken, { ...broken, kind: 'invalid' }])).toBe('fail')
    expect(verdictOf([SERVED, { ...broken, text: '' }, { ...broken, text: '', kind: 'invalid' }])).toBe('fail')
  })

  test('the breakdown check evaluates only its operation, and is not testable without a request', () => {
    expect(verdictOf([SERVED, { attempts: [500, 500], operation: 'images' }])).toBe('pass')
    expect(verdictOf([{ attempts: [500, 500], operation: 'images' }])).toBe('not-testable')
  })

  test('ignores a breakdown if there was no second attempt, or if that attempt failed on the tester’s side', () => {
    expect(verdictOf([SERVED, { attempts: [500] }, { attempts: [500, 'refused'] }])).toBe('pass')
  })

  test('names a large body if the target served only smaller ones', () => {
    const large: Sent = { attempts: [500, 500], text: ' '.repeat(1024 * 1024) }
    const groupsOf = (all: readonly Sent[]) => summarize('7/breakdown-chat', all).outcome
    expect(groupsOf([SERVED, large])).toMatchObject({ params: { by: [{ largeBody: true, requests: 1 }] } })
    expect(groupsOf([{ ...large, attempts: [200] }, large])).toMatchObject({
      params: { by: [expect.not.objectContaining({ largeBody: true })] },
    })
  })

  test('names invalid UTF-8 if the target served only valid text', () => {
    const invalid: Sent = { attempts: [500, 500], text: Uint8Array.of(0x22, 0xff, 0x22), kind: 'unspecified' }
    const groupsOf = (all: readonly Sent[]) => summarize('7/breakdown-chat', all).outcome
    expect(groupsOf([SERVED, invalid])).toMatchObject({ params: { by: [{ invalidUtf8: true, requests: 1 }] } })
    expect(groupsOf([{ ...invalid, attempts: [200] }, invalid])).toMatchObject({
      params: { by: [expect.not.objectContaining({ invalidUtf8: true })] },
    })
  })

  test('names the parameters that the specification does not cover if only such requests break down', () => {
    const broken = (text: string): Sent => ({ attempts: [500, 500], text, kind: 'unspecified' })
    const all = [SERVED, broken('{"messages":[],"max_tokens":16}'), broken('{"max_tokens":0}'), broken('{"top_k":1}')]
    const { outcome } = summarize('7/breakdown-chat', all)
    expect(outcome).toMatchObject({
      params: { by: [{ uncovered: ['messages'] }, { uncovered: ['max_tokens'] }, { uncovered: ['top_k'] }] },
    })
    expect(describeOutcome(outcome).actual).toMatch(
      /with values of `top_k` that .* once\. No valid request broke down$/,
    )
    const withValid = summarize('7/breakdown-chat', [...all, { attempts: [500, 500] }]).outcome
    expect(JSON.stringify(withValid.params)).not.toContain('uncovered')
    expect(JSON.stringify(summarize('7/breakdown-chat', all.slice(1)).outcome.params)).not.toContain('uncovered')
  })

  test('a timeout fails only if the deadline far exceeds the usual duration of the operation', () => {
    const late = (totalMs: number): Sent => ({ attempts: ['timeout', 'timeout'], totalMs })
    expect(verdictOf([{ attempts: [200], totalMs: 1000 }, late(3000)])).toBe('fail')
    expect(verdictOf([{ attempts: [200], totalMs: 1001 }, late(3000)])).toBe('not-testable')
    expect(verdictOf([late(3000)])).toBe('not-testable')
  })

  test('fails an operation that sends nothing for a minute, unless a shorter deadline ends its requests', () => {
    const late = (totalMs: number): Sent => ({ attempts: ['timeout', 'timeout'], totalMs })
    expect(verdictOf([late(60_000)])).toBe('fail')
    expect(verdictOf([late(49_000)])).toBe('not-testable')
    expect(verdictOf([{ ...late(60_000), attempts: ['timeout'] }])).toBe('not-testable')
  })
})

describe('the check of flakes', () => {
  const flake: Sent = { attempts: [503, 200] }
  const verdictOf = (all: readonly Sent[], limits = {}) => summarize('7/flakes', all, limits).outcome.verdict

  test('the flake check passes without a flake, and is not testable without a request', () => {
    expect(verdictOf([SERVED, { attempts: [500, 500] }])).toBe('pass')
    expect(verdictOf([])).toBe('not-testable')
  })

  test('warns about two flakes regardless of their percentage, and about flakes of 2 % of many requests', () => {
    expect(verdictOf([flake, flake])).toBe('warn')
    expect(verdictOf([...repeat(3, flake), ...repeat(147, SERVED)])).toBe('warn')
  })

  test('three flakes among fewer than 150 requests fail, with the first attempts by status', () => {
    const { outcome } = summarize('7/flakes', [
      ...repeat(2, flake),
      { attempts: ['reset', 400] },
      ...repeat(146, SERVED),
    ])
    expect(outcome).toMatchObject({
      verdict: 'fail',
      expected: { maxFlakesPercent: 2 },
      params: {
        flakes: 3,
        requests: 149,
        by: [
          { actualStatus: 503, requests: 2 },
          { error: 'reset', requests: 1 },
        ],
      },
    })
  })

  test('counts an outage as one flake, and each breakdown outside it', () => {
    const inOutage: Sent = { ...flake, startsMs: [6000, 7000] }
    const { outcome } = summarize('7/flakes', [...repeat(60, SERVED), ...repeat(12, inOutage), flake])
    expect(outcome).toMatchObject({ verdict: 'warn', params: { flakes: 13, incidents: 2, requests: 73 } })
  })

  test('ignores late responses to invalid and unspecified requests', () => {
    for (const kind of ['invalid', 'unspecified'] as const) {
      const late: Sent = { attempts: ['timeout', 400], kind }
      expect(verdictOf(repeat(10, late))).toBe('pass')
      expect(verdictOf(repeat(10, { ...late, attempts: [503, 400] }))).toBe('fail')
    }
    expect(verdictOf(repeat(10, { attempts: ['timeout', 200] }))).toBe('fail')
  })

  test('reports the time, request ID and repeat of the first flake instead of a command', () => {
    const found = summarize('7/flakes', [SERVED, { ...flake, headers: { 'x-request-id': 'req-7', 'cf-ray': 'ray-7' } }])
    expect(found.hasCommand).toBe(false)
    expect(found.outcome.params).toMatchObject({
      first: {
        endpoint: 'POST /v1/chat/completions',
        sentAt: '1970-01-01T00:00:00.000Z',
        actualStatus: 503,
        requestId: 'x-request-id: req-7',
        repeatStatus: 200,
      },
    })
    expect(describeOutcome(found.outcome).actual).toMatch(
      /The first: POST \/v1\/chat\/completions, sent at 1970-01-01T00:00:00.000Z, returned 503 \(x-request-id: req-7\); repeated 0.0 s later, it returned 200$/,
    )
  })

  test('reports no request ID from a header without a value', () => {
    const first = (headers: NonNullable<Sent['headers']>) =>
      summarize('7/flakes', [SERVED, { ...flake, headers }]).outcome.params
    expect(first({ 'x-request-id': '' })).not.toHaveProperty('first.requestId')
    expect(first({ 'x-request-id': '', 'cf-ray': 'ray-7' })).toHaveProperty('first.requestId', 'cf-ray: ray-7')
  })

  test('counts a stream that reports an error as a flake if the repeated stream reports none', () => {
    const { outcome } = summarize('7/flakes', [SERVED, { attempts: ['error-event', 200] }])
    expect(outcome).toMatchObject({ verdict: 'warn', params: { flakes: 1, incidents: 1 } })
    expect(describeOutcome(outcome).actual).toContain('returned 200, then reported an error in the stream once')
    expect(verdictOf([SERVED, { attempts: ['error-event', 'error-event'] }])).toBe('pass')
  })

  test('fails at the first flake beyond the owner’s limit', () => {
    expect(verdictOf([flake, ...repeat(99, SERVED)], { maxFlakesPercent: 0 })).toBe('fail')
    expect(verdictOf([flake, ...repeat(99, SERVED)], { maxFlakesPercent: 1 })).toBe('warn')
    expect(verdictOf([...repeat(10, flake), ...repeat(90, SERVED)], { maxFlakesPercent: 10 })).toBe('warn')
  })
})
