import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHECKS } from '../../conformance/checks/all.ts'
import { MUTANTS } from '../../conformance/prove/mutants/all.ts'

const readPage = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the page of the proof has the current numbers of mutants and checks', () => {
  const mutants = `${MUTANTS.length} of ${MUTANTS.length} mutants`
  const checks = `${CHECKS.length} of ${CHECKS.length} checks`
  expect(readPage('conformance/prove/README.md')).toContain(`\n${mutants} detected as expected, by ${checks}, in `)
})

test('the README has the number of checks of a run without further options', () => {
  const usual = CHECKS.filter(({ group }) => group === undefined)
  expect(readPage('README.md')).toContain(`\n${usual.length} checks in `)
})

test.each(['README.md', 'docs/conformance.md', 'conformance/README.md'])(
  '%s has the number of checks that --agents adds',
  (page) => {
    const agents = CHECKS.filter(({ group }) => group === 'agents')
    const counts = readPage(page).match(/`--agents`(?: adds|:) \d+ checks/g)
    expect(counts?.map((text) => /\d+/.exec(text)?.[0])).toEqual([String(agents.length)])
  },
)
