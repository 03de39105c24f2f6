import { describe, expect, test } from 'vitest'
import type { CheckEntry, CheckVerdict } from '../../reports/conformance-document.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { createCheck, createRequirement, createSuite } from '../testing/small-suite.ts'
import { planRun } from './plan.ts'
import { calculateMaxUnits, sortModelsByPrice } from '../traffic/prices.ts'
import { getExitCode, countVerdicts, determineVerdict } from './verdict.ts'

function checksOf(verdicts: readonly CheckVerdict[], level: CheckEntry['level'] = 'stated') {
  return verdicts.map((verdict) => ({ verdict, level }))
}

describe('the verdict of a run', () => {
  test.each([
    [['pass', 'observed'], 'conformant', 0, 0],
    [['pass', 'warn'], 'conformant', 0, 0],
    [['pass', 'not-testable'], 'incomplete', 3, 0],
    [['not-testable'], 'incomplete', 3, 3],
    [[], 'incomplete', 3, 3],
    [['error', 'not-testable'], 'harness-error', 4, 4],
    [['fail', 'error', 'not-testable'], 'non-conformant', 1, 1],
  ] as const)(
    'the verdict for %j is %s, with exit code %d, or %d with acceptIncomplete',
    (verdicts, verdict, exitCode, acceptedCode) => {
      const checks = checksOf(verdicts)
      const summary = countVerdicts(checks)
      expect(determineVerdict(checks, false)).toBe(verdict)
      expect(getExitCode(verdict, summary, false)).toBe(exitCode)
      expect(getExitCode(verdict, summary, true)).toBe(acceptedCode)
    },
  )

  test('counts the checks of a run by verdict', () => {
    const verdicts = [
      'pass',
      'fail',
      'fail',
      'declared',
      'warn',
      'observed',
      'observed',
      'not-testable',
      'error',
    ] as const
    expect(countVerdicts(checksOf([...verdicts, 'observed', 'not-testable']))).toEqual({
      pass: 1,
      fail: 2,
      declared: 1,
      warn: 1,
      observed: 3,
      notTestable: 2,
      error: 1,
    })
  })

  test.each(['pass', 'warn', 'observed'] as const)(
    'with acceptIncomplete, one check with verdict %s is enough for exit code 0',
    (verdict) => {
      const checks = checksOf([verdict, 'not-testable'])
      expect(getExitCode(determineVerdict(checks, false), countVerdicts(checks), true)).toBe(0)
    },
  )

  test('a run is conformant with as many passes as known failures', () => {
    const known = { ...checksOf(['fail'])[0], verdict: 'fail', level: 'stated', knownFailure: 'so it is' } as const
    expect(determineVerdict([...checksOf(['pass']), known], false)).toBe('conformant')
  })

  test.each(['warn', 'declared'] as const)('a strict run with the verdict %s is non-conformant', (verdict) => {
    expect(determineVerdict(checksOf(['pass', verdict]), false)).toBe('conformant')
    expect(determineVerdict(checksOf(['pass', verdict]), true)).toBe('non-conformant')
  })

  test('the verdict does not depend on untestable checks that could not have changed it', () => {
    const unspecified = [...checksOf(['pass']), ...checksOf(['not-testable'], 'unspecified')]
    const convention = [...checksOf(['pass']), ...checksOf(['not-testable'], 'convention')]
    expect([determineVerdict(unspecified, false), determineVerdict(unspecified, true)]).toEqual([
      'conformant',
      'conformant',
    ])
    expect([determineVerdict(convention, false), determineVerdict(convention, true)]).toEqual([
      'conformant',
      'incomplete',
    ])
    expect(determineVerdict(checksOf(['not-testable'], 'unspecified'), false)).toBe('incomplete')
  })
})

describe('the plan of a run', () => {
  const suite = createSuite(['4.1/a', '4.2/b', '4.2/c', '42/d'])
  const idsFor = (only: string[], skip: string[] = []): string[] =>
    planRun(suite, { only, skip }).planned.map(({ check }) => check.id)

  test('selects all checks, one check, or a section with its subsections', () => {
    expect(idsFor([])).toEqual(['4.1/a', '4.2/b', '4.2/c', '42/d'])
    expect(idsFor(['4.2/b'])).toEqual(['4.2/b'])
    expect(idsFor(['4'])).toEqual(['4.1/a', '4.2/b', '4.2/c'])
    expect(idsFor(['4'], ['4.2/c', '4.1'])).toEqual(['4.2/b'])
  })

  test('returns the reason for each check that is not planned', () => {
    expect(planRun(suite, { only: ['4.2'], skip: ['4.2/c'] }).notPlanned).toEqual([
      { id: '4.1/a', reason: 'not selected by only', code: 'not-selected' },
      { id: '4.2/c', reason: 'excluded by skip', code: 'skipped' },
      { id: '42/d', reason: 'not selected by only', code: 'not-selected' },
    ])
  })

  test('rejects a selector that matches no check', () => {
    expect(() => idsFor(['9.9'])).toThrow(InvalidOptionError)
    expect(() => idsFor([], ['4.2/x'])).toThrow(InvalidOptionError)
  })

  test.each([
    [
      'a check of a requirement that does not exist',
      [createRequirement('1/a')],
      [createCheck('1/b', { requirement: '1/c' })],
    ],
    ['two requirements of one id', [createRequirement('1/a'), createRequirement('1/a')], [createCheck('1/a')]],
    ['two checks of one id', [createRequirement('1/a')], [createCheck('1/a'), createCheck('1/a')]],
  ])('rejects a suite with %s', (_name, requirements, checks) => {
    expect(() => planRun({ requirements, checks }, { only: [], skip: [] })).toThrow(/does not exist|same ID/)
  })
})

describe('the upper bound of a request’s cost', () => {
  test.each([
    [
      'text, message overhead and max_tokens',
      { model: 'vendorc-4o', messages: [{ role: 'user', content: 'grüß' }], max_tokens: 10 },
      100 * 24,
    ],
    ['the default of max_tokens', { model: 'vendora-v4-flash', messages: [] }, 4 * 256],
    [
      'the default of max_tokens if it is invalid',
      { model: 'vendora-v4-flash', messages: [], max_tokens: 'x' },
      4 * 256,
    ],
    ['the text of a prompt', { model: 'vendora-v4-flash', prompt: 'ab' }, 4 * 10],
    ['nothing for an unknown model', { model: 'x', messages: [] }, 0],
    ['nothing for a request without a body', undefined, 0],
  ])('the cost bound includes %s', (_name, body, units) => {
    expect(calculateMaxUnits(body)).toBe(units)
  })

  test('sorts models by price, starting with the cheapest', () => {
    expect(sortModelsByPrice().slice(0, 3)).toEqual(['vendora-v4-flash', 'vendorc-4o-mini', 'vendora-v4-pro'])
    expect(sortModelsByPrice().at(-1)).toBe('vendorc-4o')
  })
})
