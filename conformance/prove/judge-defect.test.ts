import { expect, test } from 'vitest'
import type { CheckVerdict } from '../../reports/conformance-document.ts'
import type { Defect } from './defect.ts'
import type { Finding } from './finding.ts'
import { judgeDefect } from './judge-defect.ts'

const DEFECT: Defect = {
  id: '1/d',
  breaks: 'something',
  kills: { '1/a': /^broken: \d+$/ },
  mayTouch: ['1/b'],
  wire: {},
}

function entry(id: string, verdict: CheckVerdict, actual: string, hasBrokenOff = false): Finding {
  return { id, verdict, actual, hasBrokenOff }
}

function byId(...entries: readonly Finding[]): Map<string, Finding> {
  return new Map(entries.map((one) => [one.id, one]))
}

const SOUND = byId(entry('1/a', 'pass', 'fine'), entry('1/b', 'pass', 'fine'), entry('1/c', 'pass', 'fine'))
const CAUGHT = entry('1/a', 'fail', 'broken: 7')

test.each([CAUGHT, entry('1/a', 'warn', 'broken: 7')])('a check that turns and says so has caught it: %s', (found) => {
  const expected = { kills: ['1/a'], alsoTouched: [], shortfalls: [] }
  expect(judgeDefect(DEFECT, byId(found, entry('1/b', 'pass', 'fine')), SOUND)).toEqual(expected)
})

const MISSED: [what: string, found: Finding | undefined, before: Finding, why: string][] = [
  ['did not run', undefined, entry('1/a', 'pass', 'fine'), 'no such check ran'],
  ['passed', entry('1/a', 'pass', 'broken: 7'), entry('1/a', 'pass', 'fine'), 'did not notice'],
  ['could not run', entry('1/a', 'not-testable', 'broken: 7'), entry('1/a', 'pass', 'fine'), 'did not notice'],
  ['went wrong itself', entry('1/a', 'error', 'broken: 7'), entry('1/a', 'pass', 'fine'), 'did not notice'],
  ['said another thing', entry('1/a', 'fail', 'late'), entry('1/a', 'pass', 'fine'), 'turned for another reason'],
  ['only observed it', entry('1/a', 'observed', 'broken: 7'), entry('1/a', 'pass', 'fine'), 'only observed it'],
  [
    'lost its connection',
    entry('1/a', 'fail', 'broken: 7', true),
    entry('1/a', 'pass', 'fine'),
    'an exchange broke off, which is no catch',
  ],
  [
    'observes the same without it',
    entry('1/a', 'observed', 'broken: 7'),
    entry('1/a', 'observed', 'broken: 8'),
    'says the same without the defect',
  ],
  [
    'fails without it',
    entry('1/a', 'fail', 'broken: 7'),
    entry('1/a', 'fail', 'broken: 7'),
    'says the same without the defect',
  ],
]

test.each(MISSED)('a check that %s has not caught it', (_what, found, before, why) => {
  const { kills, shortfalls } = judgeDefect(DEFECT, byId(...(found === undefined ? [] : [found])), byId(before))
  expect(kills).toEqual([])
  const said = found === undefined ? 'nothing' : `${found.verdict}: ${found.actual}`
  expect(shortfalls).toEqual([{ check: '1/a', why, expected: String.raw`^broken: \d+$`, said }])
})

test('an observation has caught it when it observes something else', () => {
  const before = byId(entry('1/a', 'observed', 'fine'))
  const { kills, shortfalls } = judgeDefect(DEFECT, byId(entry('1/a', 'observed', 'broken: 7')), before)
  expect({ kills, shortfalls }).toEqual({ kills: ['1/a'], shortfalls: [] })
})

test.each(['fail', 'warn', 'error'] as const)('a check beside it that turns to %s is a shortfall', (verdict) => {
  const { alsoTouched, shortfalls } = judgeDefect(DEFECT, byId(CAUGHT, entry('1/c', verdict, 'odd')), SOUND)
  expect(alsoTouched).toEqual(['1/c'])
  expect(shortfalls.map(({ check, said }) => ({ check, said }))).toEqual([{ check: '1/c', said: `${verdict}: odd` }])
})

test('a check in its way may turn, and one that cannot be made is to be expected', () => {
  const found = byId(CAUGHT, entry('1/b', 'fail', 'odd'), entry('1/c', 'not-testable', 'refused'))
  expect(judgeDefect(DEFECT, found, SOUND)).toEqual({ kills: ['1/a'], alsoTouched: ['1/b', '1/c'], shortfalls: [] })
})

test('an observation beside it that changes is told, and is nobody’s fault', () => {
  const before = byId(entry('1/a', 'pass', 'fine'), entry('1/c', 'observed', 'one way'))
  const found = byId(CAUGHT, entry('1/c', 'observed', 'another way'))
  expect(judgeDefect(DEFECT, found, before)).toEqual({ kills: ['1/a'], alsoTouched: ['1/c'], shortfalls: [] })
})
