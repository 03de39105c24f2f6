import { describe, expect, test } from 'vitest'
import { createExtensionResult, createOperationResult } from '../testing/make-result.ts'
import { findIncompletePlan, isIncompleteSegment } from './plan-completeness.ts'

const STEADY = { stages: [{ from: 5, to: 5, durationS: 10 }] }

const lasting = (durationS: number) => {
  const { startedAtUnixMs } = createExtensionResult({})
  return createExtensionResult({}, { endedAtUnixMs: startedAtUnixMs + durationS * 1000 })
}

describe('findIncompletePlan', () => {
  test.each([
    [534, undefined],
    [330, { code: 'plan-not-sent', params: { sent: 330, planned: 534 } }],
  ])('with %d of 534 planned requests due at the end, returns the finding %j', (due, finding) => {
    const result = createExtensionResult({}, { plan: { planned: 534, due, taken: due } })
    expect(findIncompletePlan(result, 'chat-stream', STEADY)).toEqual(finding)
  })

  test.each([
    [50, undefined],
    [49, { code: 'plan-not-sent', params: { sent: 49, planned: 50 } }],
  ])('with %d sent requests in one of two segments of 101 iterations, returns the finding %j', (sent, finding) => {
    const result = createExtensionResult(
      { chat: createOperationResult(9), images: createOperationResult(sent - 9) },
      { segment: { index: 0, count: 2 } },
    )
    expect(findIncompletePlan(result, 'mixed', { iterations: 101, stages: [] })).toEqual(finding)
  })

  test.each([
    ['ends at its duration', 10, STEADY.stages, undefined],
    ['ends one second early', 9, STEADY.stages, undefined],
    [
      'ends more than one second early',
      8.9,
      STEADY.stages,
      { code: 'duration-not-reached', params: { actualS: 9, plannedS: 10 } },
    ],
    [
      'ends early after the start of its first of 5 clients',
      6.9,
      [{ from: 0, to: 5, durationS: 10 }],
      { code: 'duration-not-reached', params: { actualS: 7, plannedS: 10 } },
    ],
    [
      'starts with 1 client and ends early',
      8,
      [{ from: 0.5, to: 5, durationS: 10 }],
      { code: 'duration-not-reached', params: { actualS: 8, plannedS: 10 } },
    ],
    ['has no stages', 0, [], undefined],
  ])('evaluates a closed loop that %s', (_name, durationS, stages, finding) => {
    expect(findIncompletePlan(lasting(durationS), 'chat-stream', { stages })).toEqual(finding)
  })

  test('accepts that a scenario which drains an account ends early', () => {
    expect(findIncompletePlan(lasting(1), 'credit-drain', STEADY)).toBeUndefined()
  })
})

describe('isIncompleteSegment', () => {
  const requests = { planned: 10, sent: 8, dropped: 2 }

  test.each([
    ['sent its whole plan', { requests, findings: [] }, false],
    ['sent no request', { requests: { planned: null, sent: 0, dropped: 0 }, findings: [] }, true],
    [
      'ended at its threshold',
      { requests: { ...requests, sent: 1 }, findings: [{ code: 'threshold-broken', params: {} }] },
      false,
    ],
  ])('evaluates a segment that %s', (_name, document, isIncomplete) => {
    expect(isIncompleteSegment(document)).toBe(isIncomplete)
  })

  test.each(['ended-early', 'plan-not-sent', 'duration-not-reached', 'spend-limit-reached'])(
    'a segment with the finding %s is incomplete',
    (code) => {
      expect(isIncompleteSegment({ requests, findings: [{ code, params: {} }] })).toBe(true)
    },
  )
})
