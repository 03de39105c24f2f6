import { describe, expect, test } from 'vitest'
import type { CheckEntry, CheckVerdict } from '../../reports/conformance-document.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { checkOf, rowOf, suiteOf } from '../testing/small-suite.ts'
import { planRun } from './plan.ts'
import { upperBoundUnits, modelsByPrice } from './prices.ts'
import { exitCodeOf, summarise, verdictOf } from './verdict.ts'

/** Checks with these verdicts, all of the same level. */
function checksOf(verdicts: readonly CheckVerdict[], level: CheckEntry['level'] = 'stated') {
  return verdicts.map((verdict) => ({ verdict, level }))
}

describe('the verdict on a run, and its exit code', () => {
  test.each([
    [['pass', 'observed'], 'conformant', 0, 0],
    [['pass', 'warn'], 'conformant', 0, 0],
    [['pass', 'not-testable'], 'incomplete', 3, 0],
    [['not-testable'], 'incomplete', 3, 3],
    [[], 'incomplete', 3, 3],
    [['error', 'not-testable'], 'harness-error', 4, 4],
    [['fail', 'error', 'not-testable'], 'non-conformant', 1, 1],
  ] as const)('%j is %s: %d, and %d when incomplete is accepted', (verdicts, verdict, exitCode, acceptedCode) => {
    const checks = checksOf(verdicts)
    const summary = summarise(checks)
    expect(verdictOf(checks, false)).toBe(verdict)
    expect(exitCodeOf(verdict, summary, false)).toBe(exitCode)
    expect(exitCodeOf(verdict, summary, true)).toBe(acceptedCode)
  })

  test('checks are counted by their verdicts', () => {
    const verdicts = ['pass', 'fail', 'fail', 'warn', 'observed', 'observed', 'not-testable', 'error'] as const
    expect(summarise(checksOf([...verdicts, 'observed', 'not-testable']))).toEqual({
      pass: 1,
      fail: 2,
      warn: 1,
      observed: 3,
      notTestable: 2,
      error: 1,
    })
  })

  test.each(['pass', 'warn', 'observed'] as const)(
    'a run with one check that was made is no empty one: %s',
    (verdict) => {
      const checks = checksOf([verdict, 'not-testable'])
      expect(exitCodeOf(verdictOf(checks, false), summarise(checks), true)).toBe(0)
    },
  )

  test('as many known failures as passes are not nothing', () => {
    const known = { ...checksOf(['fail'])[0], verdict: 'fail', level: 'stated', knownFailure: 'so it is' } as const
    expect(verdictOf([...checksOf(['pass']), known], false)).toBe('conformant')
  })

  test('a warning counts when the run is strict', () => {
    expect(verdictOf(checksOf(['pass', 'warn']), true)).toBe('non-conformant')
  })

  test('what could not have changed the verdict does not make a run incomplete', () => {
    const silent = [...checksOf(['pass']), ...checksOf(['not-testable'], 'silent')]
    const convention = [...checksOf(['pass']), ...checksOf(['not-testable'], 'convention')]
    expect([verdictOf(silent, false), verdictOf(silent, true)]).toEqual(['conformant', 'conformant'])
    expect([verdictOf(convention, false), verdictOf(convention, true)]).toEqual(['conformant', 'incomplete'])
    expect(verdictOf(checksOf(['not-testable'], 'silent'), false)).toBe('incomplete')
  })
})

describe('what a run sets out to do', () => {
  const suite = suiteOf(['4.1/a', '4.2/b', '4.2/c', '42/d'])
  const idsFor = (only: string[], skip: string[] = []): string[] =>
    planRun(suite, { only, skip }).planned.map(({ check }) => check.id)

  test('is all, a check, or a section with its parts', () => {
    expect(idsFor([])).toEqual(['4.1/a', '4.2/b', '4.2/c', '42/d'])
    expect(idsFor(['4.2/b'])).toEqual(['4.2/b'])
    expect(idsFor(['4'])).toEqual(['4.1/a', '4.2/b', '4.2/c'])
    expect(idsFor(['4'], ['4.2/c', '4.1'])).toEqual(['4.2/b'])
  })

  test('what is left out stands there with its reason', () => {
    expect(planRun(suite, { only: ['4.2'], skip: ['4.2/c'] }).notPlanned).toEqual([
      { id: '4.1/a', reason: 'not among what --only names' },
      { id: '4.2/c', reason: 'left out by --skip' },
      { id: '42/d', reason: 'not among what --only names' },
    ])
  })

  test('is never nothing by a slip of the pen', () => {
    expect(() => idsFor(['9.9'])).toThrow(InvalidOptionError)
    expect(() => idsFor([], ['4.2/x'])).toThrow(InvalidOptionError)
  })

  test.each([
    ['a check of a requirement that does not exist', [rowOf('1/a')], [checkOf('1/b', { requirement: '1/c' })]],
    ['two requirements of one id', [rowOf('1/a'), rowOf('1/a')], [checkOf('1/a')]],
    ['two checks of one id', [rowOf('1/a')], [checkOf('1/a'), checkOf('1/a')]],
  ])('a suite with %s is refused', (_name, requirements, checks) => {
    expect(() => planRun({ requirements, checks }, { only: [], skip: [] })).toThrow(/does not exist|same id/)
  })
})

describe('what a request can cost', () => {
  test.each([
    [
      'text, frame and max_tokens',
      { model: 'vendorc-4o', messages: [{ role: 'user', content: 'grüß' }], max_tokens: 10 },
      100 * 24,
    ],
    ['the default of max_tokens', { model: 'vendora-v4-flash', messages: [] }, 4 * 256],
    ['an invalid max_tokens as the default', { model: 'vendora-v4-flash', messages: [], max_tokens: 'x' }, 4 * 256],
    ['the text of a prompt', { model: 'vendora-v4-flash', prompt: 'ab' }, 4 * 10],
    ['an unknown model has no price', { model: 'x', messages: [] }, 0],
    ['no body', undefined, 0],
  ])('%s', (_name, body, units) => {
    expect(upperBoundUnits(body)).toBe(units)
  })

  test('the cheapest model comes first', () => {
    expect(modelsByPrice().slice(0, 3)).toEqual(['vendora-v4-flash', 'vendorc-4o-mini', 'vendora-v4-pro'])
    expect(modelsByPrice().at(-1)).toBe('vendorc-4o')
  })
})
