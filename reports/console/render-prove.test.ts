import { expect, test } from 'vitest'
import type { ProveDocument } from '../prove-document.ts'
import { SAMPLE_PROVE } from '../testing/sample-prove.ts'
import { renderProve } from './render-prove.ts'

const [CAUGHT, MISSED] = SAMPLE_PROVE.mutants.map((mutant) => [mutant])
const DOCUMENT: ProveDocument = {
  ...SAMPLE_PROVE,
  selection: null,
  failingWithout: Array.from({ length: 12 }, (_, index) => ({ check: `2/c${index}`, actual: 'fail: odd' })),
  mutants: [
    ...(CAUGHT ?? []).map((mutant) => ({ ...mutant, kills: ['1/a', '1/b', '1/c', '1/d'] })),
    ...(MISSED ?? []).map((mutant) => ({
      ...mutant,
      shortfalls: [{ check: '2/a', why: 'did not notice', expected: '^b$', actual: 'pass: \u001b[2Jfine' }],
    })),
  ],
  checks: [...SAMPLE_PROVE.checks, { id: '2/a', caught: [] }],
}

test('lists checks that pass without a reviewed reason against a target without evidence', () => {
  const entry = {
    target: 'web-page',
    responds: 'the same web page',
    passes: [],
    unexpected: ['1/a'],
    outdated: ['2/a'],
  }
  const lines = renderProve({ ...DOCUMENT, targetsWithoutEvidence: [entry] }, { hasColor: false }).split('\n')
  expect(lines).toContain('1 check passed without a reviewed reason against the 1 target without evidence')
  expect(lines).toContain('  1/a: passes against web-page, although it is not on the reviewed list')
  expect(lines).toContain('  2/a: does not pass against web-page, although it is on the reviewed list')
})

test('shows each mutant with the checks that caught it, and the shortfalls last', () => {
  expect(renderProve(DOCUMENT, { hasColor: false }).split('\n')).toEqual([
    '',
    '§1 Service',
    '  1/one      1/a, 1/b, 1/c and 1 more  (1 other touched)',
    '',
    '§2 Resources',
    '  2/another  ✗ 1 shortfall, see below',
    '',
    'NOT PROVEN',
    '1 of 2 mutants detected as expected, by 1 of 2 checks, in 1.2 s',
    '',
    'Failed without any mutant (12)',
    ...Array.from({ length: 10 }, (_, index) => `  2/c${index}: fail: odd`),
    '  and 2 more',
    '',
    'Checks without a mutant (1)',
    '  1/z',
    '',
    'Not detected as expected (1)',
    '',
    '  2/another  another thing',
    '    2/a did not notice',
    '      expected ^b$',
    String.raw`      actual   pass: \u{1b}[2Jfine`,
    '',
  ])
})
