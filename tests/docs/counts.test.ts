import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NO_EVIDENCE_TARGETS } from '../../conformance/prove/no-evidence-targets/no-evidence-targets.ts'
import { CHECKS } from '../../conformance/sections/checks.ts'
import { MUTANTS } from '../../conformance/sections/mutants.ts'
import { readPages } from './read-pages.ts'

const readPage = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the page of the proof has the current numbers of mutants, checks and targets without evidence', () => {
  const page = readPage('conformance/prove/README.md')
  const result = /^(\d+ of \d+) mutants detected as expected, by (\d+ of \d+) checks, in /m
  const [, mutants, checks] = result.exec(page) ?? []
  expect(mutants).toBe(`${MUTANTS.length} of ${MUTANTS.length}`)
  expect(checks).toBe(`${CHECKS.length} of ${CHECKS.length}`)
  expect(page).toContain(`against the ${NO_EVIDENCE_TARGETS.length} targets without evidence`)
})

test('the README has the number of checks of a run without further options', () => {
  const usual = CHECKS.filter(({ group }) => group === undefined)
  expect(/^(\d+) checks in /m.exec(readPage('README.md'))?.[1]).toBe(String(usual.length))
})

test('the page on verdicts has the number of checks for each kind of run', () => {
  const count = (...groups: (string | undefined)[]) => CHECKS.filter(({ group }) => groups.includes(group)).length
  const undeclared = CHECKS.filter(({ group, declaration }) => group === undefined && declaration === undefined)
  const [, table = ''] = readPage('docs/reference/verdicts.md').split('\n| checks | run |\n')
  const numbers = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (?:\+ )?(\d+) \|/gm)].map(([, number]) =>
    Number(number),
  )
  expect(numbers).toEqual([count(undefined), undeclared.length, count('agents'), count('sdk'), CHECKS.length])
})

test.each(['README.md', 'docs/conformance.md', 'conformance/README.md'])(
  '%s has the number of checks that --agents adds',
  (page) => {
    const agents = CHECKS.filter(({ group }) => group === 'agents')
    const counts = readPage(page).match(/`--agents`(?: adds|:) \d+ checks/g)
    expect(counts?.map((text) => /\d+/.exec(text)?.[0])).toEqual([String(agents.length)])
  },
)

test('the guide of the suite has only numbers of checks of a run without further options', () => {
  const usual = CHECKS.filter(({ group }) => group === undefined)
  const undeclared = usual.filter(({ declaration }) => declaration === undefined)
  const counts = readPage('docs/conformance.md').matchAll(/\b(\d{3}) checks\b/g)
  const allowed = [String(usual.length), String(undeclared.length)]
  expect([...counts].map(([, count]) => count).filter((count) => !allowed.includes(count ?? ''))).toEqual([])
})

test('the guides have at most 8,000 words in all', () => {
  const guides = readPages().filter(({ path }) => /^(?:README|docs\/[^/]+)\.md$/.test(path))
  expect(guides.length).toBeGreaterThan(10)
  expect(guides.flatMap(({ text }) => text.match(/\S+/g) ?? []).length).toBeLessThanOrEqual(8000)
})
