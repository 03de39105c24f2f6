import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readRepositoryFiles } from './repository-files.ts'

const ROOT = new URL('../', import.meta.url)

interface Named {
  readonly file: string
  readonly title: string
}

/** Returns the rows of the tables of guarantees, with the tests that each row mentions. */
function guaranteesOf(page: string): { readonly guarantee: string; readonly tests: readonly Named[] }[] {
  const rows = [...page.matchAll(/^\| (?!guarantee \|)(.+?) \| (.*) \|$/gm)]
  return rows.map(([, guarantee = '', held = '']) => ({
    guarantee,
    tests: [...held.matchAll(/`([^`]+)`: "([^"]+)"/g)].map(([, file = '', title = '']) => ({ file, title })),
  }))
}

/** Returns whether a source file contains a test or a group of tests with this title. */
function containsTest(source: string, { file, title }: Named): boolean {
  if (file.endsWith('.go')) return source.includes(`func ${title}(t *testing.T)`)
  const literal = title.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?:\b(?:test|describe)|\))\(\s*(['"\`])${literal}\1`).test(source)
}

describe('docs/reference/threats.md', () => {
  const page = readFileSync(new URL('docs/reference/threats.md', ROOT), 'utf8')
  const guarantees = guaranteesOf(page)
  const sources = new Map(readRepositoryFiles().map(({ path, text }) => [path, text]))

  test('docs/reference/threats.md names an existing test for each guarantee', () => {
    expect(guarantees.length).toBeGreaterThan(10)
    expect(guarantees.filter(({ tests }) => tests.length === 0)).toEqual([])
    const named = guarantees.flatMap(({ tests }) => tests)
    // Ensures that the parser recognizes every test that the page mentions.
    expect(named).toHaveLength(page.match(/`: "/g)?.length ?? 0)
    expect(named.filter((one) => !containsTest(sources.get(one.file) ?? '', one))).toEqual([])
  })
})

test.each([
  ["test('it holds', () => {", true],
  ["describe('it holds', () => {", true],
  ["])('it holds', async () => {", true],
  ["test(\n  'it holds',\n", true],
  ["test('it holds not', () => {", false],
  ["// it holds 'it holds'", false],
])('finds whether a test exists in %j: %s', (source, expected) => {
  expect(containsTest(source, { file: 'a.test.ts', title: 'it holds' })).toBe(expected)
})
