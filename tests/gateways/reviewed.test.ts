import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHECKS } from '../../conformance/sections/checks.ts'
import { renderSoftwareTable } from './render-table.ts'
import { readReview } from './reviewed.ts'
import { THIRD_PARTY_SOFTWARE } from './software.ts'

const page = readFileSync(new URL('../../docs/reference/other-software.md', import.meta.url), 'utf8')
const ids = new Set(CHECKS.map(({ id }) => id))
const rows = THIRD_PARTY_SOFTWARE.map((software) => ({ software, reviewed: readReview(software.id) }))

test('docs/reference/other-software.md contains the table that is rendered from the reviewed lists', () => {
  expect(page).toContain(`\n${renderSoftwareTable(rows)}\n`)
})

describe.each(rows)('the list of $software.id', ({ reviewed: { causes, findings, verdict, version } }) => {
  const checks = findings.flatMap((one) => one.checks)

  test('the reviewed list names checks of the suite, each once', () => {
    expect(checks.filter((id) => !ids.has(id))).toEqual([])
    expect(new Set(checks).size).toBe(checks.length)
  })

  test('the reviewed list gives a reason for each finding', () => {
    for (const { because, found } of findings) {
      expect(because).toMatch(/^\S.{20,}\.$/)
      expect(found).toMatch(/^(fail|warn) [a-z0-9-]+( \d{3})?$/)
    }
  })

  test('the reviewed list has a version, and the verdict that follows from its findings', () => {
    const hasFailed = findings.some(({ found }) => found.startsWith('fail '))
    expect(version).not.toBe('')
    expect(verdict === 'non-conformant').toBe(hasFailed)
    expect(causes.length > 0).toBe(hasFailed)
  })
})
