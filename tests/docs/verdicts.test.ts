import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { getExitCode } from '../../conformance/engine/verdict.ts'
import { getSchema } from '../../reports/documents.ts'
import { EXIT_CODES } from '../../common/exit-codes.ts'

const page = readFileSync(new URL('../../docs/reference/verdicts.md', import.meta.url), 'utf8')

/** Returns the rows of the first table below a heading. Each has an exit code and the first word of the verdict. */
function codesUnder(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| (\d) \| `([A-Z -]+)` \|/gm)].map(([, code, word]) => `${code} ${word}`)
}

/**
 * Formats a verdict as the console prints it: `within-budgets` becomes `WITHIN BUDGETS`, `non-conformant` keeps its
 * hyphen.
 */
function reported(verdict: string): string {
  return verdict.toUpperCase().replaceAll('-', ' ').replace('NON CONFORMANT', 'NON-CONFORMANT')
}

test('the page on verdicts lists every verdict of a check', () => {
  const section = page.split('\n### Verdicts of a check\n')[1]?.split('\n\nA check')[0] ?? ''
  const verdicts = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, verdict]) => verdict)
  expect(verdicts).toEqual(getSchema('conformance').properties?.['checks']?.items?.properties?.['verdict']?.enum)
})

test('the page on verdicts lists every exit code of a conformance run', () => {
  const seen = { pass: 1, fail: 0, declared: 0, warn: 0, observed: 0, notTestable: 0, error: 0 }
  const verdicts = ['conformant', 'non-conformant', 'incomplete', 'harness-error'] as const
  const codes = verdicts.map((verdict) => `${getExitCode(verdict, seen, false)} ${reported(verdict)}`)
  expect(codesUnder('conformance').toSorted()).toEqual(codes.toSorted())
})

test('the page on verdicts lists every exit code of a load run', () => {
  const verdicts = ['within-budgets', 'budget-broken', 'incomplete', 'invalid', 'harness-error'] as const
  const codes = verdicts.map((verdict) => `${EXIT_CODES[verdict]} ${reported(verdict)}`)
  expect(codesUnder('load, report merge').toSorted()).toEqual(codes.toSorted())
})
