import { expect, test } from 'vitest'
import { CHECKS } from './checks.ts'
import { formatMatch, matchesResult } from '../mutation/result-match.ts'
import { MUTANTS } from './mutants.ts'

const CHECK_IDS = new Set(CHECKS.map(({ id }) => id))

test('every check has a mutant that it must catch', () => {
  const meant = new Set(MUTANTS.flatMap(({ kills }) => Object.keys(kills)))
  expect([...CHECK_IDS].filter((id) => !meant.has(id))).toEqual([])
})

test('mutants name only existing checks', () => {
  const named = MUTANTS.flatMap(({ kills, mayAffect = [] }) => [...Object.keys(kills), ...mayAffect])
  expect(named.filter((id) => !CHECK_IDS.has(id))).toEqual([])
})

test('every mutant has a unique ID, and checks that must catch it', () => {
  const ids = MUTANTS.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => !/^\d(\.\d)?\/[a-z0-9-]+$/.test(id))).toEqual([])
  expect(MUTANTS.filter(({ kills }) => Object.keys(kills).length === 0)).toEqual([])
})

/**
 * Findings with parameters that no target causes. An expected finding that matches one of them does not identify a
 * specific deviation.
 */
const UNSPECIFIC = [
  { code: 'as-expected', params: {} },
  { code: 'unexpected-status', params: { actualStatus: 418 } },
  { code: 'missing-field', params: { path: 'touchstone' } },
  { code: 'wrong-type', params: { path: 'touchstone', actualType: 'symbol' } },
  { code: 'wrong-value', params: { path: 'touchstone', actual: 'touchstone' } },
  { code: 'wrong-count', params: { path: 'touchstone', actualCount: 418 } },
  { code: 'unexpected-media-type', params: { actualMediaType: 'text/touchstone' } },
  { code: 'stream-malformed', params: { problem: 'touchstone' } },
  { code: 'wrong-image', params: { problem: 'touchstone' } },
  { code: 'mp3-malformed', params: { problem: 'touchstone' } },
  { code: 'observed-response', params: { seen: { kind: 'response', actualStatus: 418 } } },
]

test('every mutant expects parameters beyond those of any failure', () => {
  const vague = MUTANTS.flatMap(({ id, kills }) =>
    Object.values(kills)
      .filter((match) => UNSPECIFIC.some((result) => matchesResult(match, result)))
      .map((match) => `${id}: ${formatMatch(match)}`),
  )
  expect(vague).toEqual([])
})
