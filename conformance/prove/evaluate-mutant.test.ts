import { expect, test } from 'vitest'
import type { CheckVerdict } from '../../reports/conformance-document.ts'
import type { Mutant } from '../mutation/mutant.ts'
import type { ComparedResult } from './evaluate-mutant.ts'
import { evaluateMutant } from './evaluate-mutant.ts'

const MUTANT: Mutant = {
  id: '1/d',
  breaks: 'something',
  kills: { '1/a': { code: 'unexpected-status', params: { actualStatus: 404 } } },
  mayAffect: ['1/b'],
  hooks: {},
}

const MATCH = 'unexpected-status {"actualStatus":404}'

function entry(id: string, verdict: CheckVerdict, actualStatus: number, hasBrokenOff = false): ComparedResult {
  const params = { operation: 'chat', actualStatus }
  return {
    id,
    verdict,
    code: 'unexpected-status',
    params,
    value: actualStatus,
    actual: `returned ${actualStatus}`,
    hasTruncatedExchange: hasBrokenOff,
  }
}

function textOf({ verdict, params: { actualStatus } = {} }: ComparedResult): string {
  return `${verdict}: returned ${String(actualStatus)} (unexpected-status {"actualStatus":${String(actualStatus)}})`
}

function byId(...entries: readonly ComparedResult[]): Map<string, ComparedResult> {
  return new Map(entries.map((one) => [one.id, one]))
}

const SOUND = byId(entry('1/a', 'pass', 200), entry('1/b', 'pass', 200), entry('1/c', 'pass', 200))
const CAUGHT = entry('1/a', 'fail', 404)

test.each([CAUGHT, entry('1/a', 'warn', 404)])(
  'a check catches the mutant with verdict $verdict and the expected finding',
  (found) => {
    const expected = { kills: ['1/a'], alsoTouched: [], shortfalls: [] }
    expect(evaluateMutant(MUTANT, byId(found, entry('1/b', 'pass', 200)), SOUND)).toEqual(expected)
  },
)

const MISSED: [what: string, found: ComparedResult | undefined, before: ComparedResult, why: string][] = [
  ['did not run', undefined, entry('1/a', 'pass', 200), 'the check did not run'],
  ['passed', entry('1/a', 'pass', 404), entry('1/a', 'pass', 200), 'did not notice'],
  ['could not run', entry('1/a', 'not-testable', 404), entry('1/a', 'pass', 200), 'did not notice'],
  ['threw an exception', entry('1/a', 'error', 404), entry('1/a', 'pass', 200), 'did not notice'],
  ['found another status', entry('1/a', 'fail', 500), entry('1/a', 'pass', 200), 'reported a different finding'],
  [
    'observed the change instead of failing',
    entry('1/a', 'observed', 404),
    entry('1/a', 'pass', 200),
    'observed the change instead of failing',
  ],
  [
    'lost its connection',
    entry('1/a', 'fail', 404, true),
    entry('1/a', 'pass', 200),
    'a connection failed, so the result is not evidence',
  ],
  [
    'observes the same without it',
    entry('1/a', 'observed', 404),
    entry('1/a', 'observed', 404),
    'reports the same finding without the mutant',
  ],
  [
    'fails without it',
    entry('1/a', 'fail', 404),
    entry('1/a', 'fail', 404),
    'reports the same finding without the mutant',
  ],
]

test.each(MISSED)('a check that %s does not catch the mutant', (_what, found, before, why) => {
  const { kills, shortfalls } = evaluateMutant(MUTANT, byId(...(found === undefined ? [] : [found])), byId(before))
  expect(kills).toEqual([])
  const actual = found === undefined ? 'nothing' : textOf(found)
  expect(shortfalls).toEqual([{ check: '1/a', why, expected: MATCH, actual }])
})

test('an observation catches the mutant if it changes as expected', () => {
  const before = byId(entry('1/a', 'observed', 200))
  const { kills, shortfalls } = evaluateMutant(MUTANT, byId(entry('1/a', 'observed', 404)), before)
  expect({ kills, shortfalls }).toEqual({ kills: ['1/a'], shortfalls: [] })
})

test.each(['fail', 'warn', 'error'] as const)('any other check with verdict %s is a shortfall', (verdict) => {
  const { alsoTouched, shortfalls } = evaluateMutant(MUTANT, byId(CAUGHT, entry('1/c', verdict, 418)), SOUND)
  expect(alsoTouched).toEqual(['1/c'])
  expect(shortfalls.map(({ check, actual }) => ({ check, actual }))).toEqual([
    { check: '1/c', actual: textOf(entry('1/c', verdict, 418)) },
  ])
})

test('a check in mayAffect may fail, and any check may become not testable', () => {
  const found = byId(CAUGHT, entry('1/b', 'fail', 418), entry('1/c', 'not-testable', 400))
  expect(evaluateMutant(MUTANT, found, SOUND)).toEqual({ kills: ['1/a'], alsoTouched: ['1/b', '1/c'], shortfalls: [] })
})

test('reports a changed observation of another check, but not as a shortfall', () => {
  const before = byId(entry('1/a', 'pass', 200), entry('1/c', 'observed', 201))
  const found = byId(CAUGHT, entry('1/c', 'observed', 202))
  expect(evaluateMutant(MUTANT, found, before)).toEqual({ kills: ['1/a'], alsoTouched: ['1/c'], shortfalls: [] })
})
