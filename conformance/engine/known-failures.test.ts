import { describe, expect, test } from 'vitest'
import type { CheckEntry, CheckVerdict } from '../../reports/conformance-document.ts'
import { applyAcceptedChecks } from './known-failures.ts'
import { determineVerdict } from './verdict.ts'

function checkEntry(id: string, verdict: CheckVerdict, changes: Partial<CheckEntry> = {}): CheckEntry {
  const section = id.split('/')[0] ?? ''
  const stated = {
    requirement: id,
    section,
    level: 'stated',
    title: id,
    code: 'as-expected',
    params: {},
    expected: [],
    actual: '',
    durationMs: 1,
  } as const
  return { id, ...stated, verdict, ...changes }
}

const NOTHING = { isBroken: false, isIncomplete: false }
const SELECTED = [
  { id: '5/a', requirement: '5/row', section: '5' },
  { id: '4.2/a', requirement: '4.2/row', section: '4.2' },
]
const CAUSE_OF = () => 'unexpected-status:422:400:invalid'
const listed = (id: string) => [{ id, reason: 'so it is' }]

describe('a known failure', () => {
  const apply = (verdict: CheckVerdict, id = '5/a') =>
    applyAcceptedChecks(
      [checkEntry('5/a', verdict)],
      { knownFailures: listed(id), acceptedNotTestable: [] },
      SELECTED,
      CAUSE_OF,
    )

  test('a known failure that fails is marked with its reason and does not fail the run', () => {
    const { checks, remarks } = apply('fail')
    expect(checks[0]?.knownFailure).toBe('so it is')
    expect(remarks).toEqual([])
    expect(determineVerdict(checks, false)).toBe('conformant')
  })

  test('a check that is not testable because of a known failure does not make the run incomplete', () => {
    const consequence = checkEntry('4.2/a', 'not-testable', { because: '5/a' })
    const applyTo = (verdict: CheckVerdict) =>
      applyAcceptedChecks(
        [checkEntry('5/a', verdict), consequence],
        { knownFailures: listed('5/a'), acceptedNotTestable: [] },
        SELECTED,
        CAUSE_OF,
      ).checks
    expect(applyTo('fail')[1]?.accepted).toBe('because of the known failure 5/a')
    expect(determineVerdict(applyTo('fail'), false)).toBe('conformant')
    expect(applyTo('pass')[1]?.accepted).toBeUndefined()
  })

  test('a known failure that warns does not fail a strict run', () => {
    expect(determineVerdict(apply('warn').checks, true)).toBe('conformant')
  })

  test.each(['pass', 'observed'] as const)(
    'a known failure with verdict %s is reported as an outdated entry',
    (verdict) => {
      const { checks, remarks } = apply(verdict)
      expect(checks[0]?.knownFailure).toBeUndefined()
      expect(remarks).toEqual([{ code: 'known-failures-repaired', params: { ids: ['5/a'] } }])
    },
  )

  test.each(['5', 'as-expected', 'unexpected-status:422:400:invalid'])(
    'a known failure can be listed by its section, its code or its cause: %s',
    (id) => {
      expect(apply('fail', id).checks[0]?.knownFailure).toBe('so it is')
      expect(apply('fail', id).remarks).toEqual([])
    },
  )

  test('a known cause does not excuse another cause with the same code', () => {
    const { checks, remarks } = apply('fail', 'unexpected-status:200:401:credential')
    expect(checks[0]?.knownFailure).toBeUndefined()
    expect(remarks).toEqual([])
  })

  test('a section is repaired only if none of its checks fails', () => {
    const accepted = { knownFailures: listed('5'), acceptedNotTestable: [] }
    const inSection = { section: '5' }
    const apply = (verdict: CheckVerdict) =>
      applyAcceptedChecks(
        [checkEntry('5/a', 'pass', inSection), checkEntry('5/b', verdict, inSection)],
        accepted,
        SELECTED,
        CAUSE_OF,
      )
    expect(apply('fail').remarks).toEqual([])
    expect(apply('pass').remarks).toEqual([{ code: 'known-failures-repaired', params: { ids: ['5'] } }])
  })

  test.each<[string, CheckVerdict, boolean]>([
    ['pass', 'pass', true],
    ['a check is not testable', 'not-testable', false],
    ['another check fails for this cause', 'fail', false],
  ])('a known cause is repaired only if a whole run shows no finding with it: %s', (_, verdict, isRepaired) => {
    const id = CAUSE_OF()
    const remarksOf = (isWhole: boolean) =>
      applyAcceptedChecks(
        [checkEntry('5/a', 'pass'), checkEntry('4.2/a', verdict)],
        { knownFailures: listed(id), acceptedNotTestable: [] },
        SELECTED,
        CAUSE_OF,
        isWhole,
      ).remarks
    expect(remarksOf(true)).toEqual(isRepaired ? [{ code: 'known-failures-repaired', params: { ids: [id] } }] : [])
    expect(remarksOf(false)).toEqual([])
  })

  test('a listed difference does not fail a strict run, but a failure of a check that requires it does', () => {
    const applyTo = (verdict: CheckVerdict) =>
      applyAcceptedChecks(
        [checkEntry('5/a', verdict, { differences: ['validationErrors'] })],
        { knownFailures: listed('validationErrors'), acceptedNotTestable: [] },
        SELECTED,
        CAUSE_OF,
      )
    expect(applyTo('declared').remarks).toEqual([])
    expect(determineVerdict(applyTo('declared').checks, true)).toBe('conformant')
    expect(determineVerdict(applyTo('fail').checks, true)).toBe('non-conformant')
    expect(determineVerdict(apply('declared', '5/b').checks, true)).toBe('non-conformant')
  })

  test('a known failure with an unknown check ID is reported', () => {
    expect(apply('fail', '5/b').remarks).toEqual([{ code: 'known-failure-unknown', params: { id: '5/b' } }])
    expect(determineVerdict(apply('fail', '5/b').checks, false)).toBe('non-conformant')
  })

  test('a known failure makes the run incomplete if it is not testable, and a harness error if its verdict is error', () => {
    expect(apply('not-testable').remarks).toEqual([])
    expect(determineVerdict([checkEntry('1/x', 'pass'), ...apply('not-testable').checks], false)).toBe('incomplete')
    expect(determineVerdict(apply('error').checks, false)).toBe('harness-error')
  })
})

describe('a check accepted as not testable', () => {
  const apply = (id: string, verdict: CheckVerdict = 'not-testable') =>
    applyAcceptedChecks(
      [checkEntry('1/x', 'pass'), checkEntry('4.2/a', verdict, { requirement: '4.2/row' })],
      { knownFailures: [], acceptedNotTestable: listed(id) },
      SELECTED,
      CAUSE_OF,
    ).checks

  test.each(['4.2/a', '4.2/row', '4.2', '4'])(
    'a check accepted as not testable by %s does not make a run incomplete',
    (id) => {
      expect(apply(id)[1]?.accepted).toBe('so it is')
      expect(determineVerdict(apply(id), false)).toBe('conformant')
    },
  )

  test('a check accepted as not testable may still pass or fail', () => {
    expect(determineVerdict(apply('4.3'), false)).toBe('incomplete')
    expect(apply('4.2', 'fail')[1]?.accepted).toBeUndefined()
    expect(determineVerdict(apply('4.2', 'fail'), false)).toBe('non-conformant')
    expect(apply('4.2', 'pass')[1]?.accepted).toBeUndefined()
  })

  test('a run is incomplete if it contains only checks accepted as not testable', () => {
    expect(determineVerdict(apply('4.2').slice(1), false)).toBe('incomplete')
  })
})

test('a declared observation that is not testable makes a run incomplete', () => {
  const checks = [
    checkEntry('1/x', 'pass'),
    checkEntry('4/a', 'not-testable', { level: 'unspecified', declared: '405' }),
  ]
  expect(determineVerdict(checks, false)).toBe('incomplete')
})

test.each([
  [{ isBroken: true, isIncomplete: true }, 'non-conformant'],
  [{ ...NOTHING, isIncomplete: true }, 'incomplete'],
  [NOTHING, 'conformant'],
])('budget results %j result in the verdict %s', (beside, verdict) => {
  expect(determineVerdict([checkEntry('1/x', 'pass')], false, beside)).toBe(verdict)
})
