import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseSections } from './read-spec.ts'
import { UNSPECIFIED_BEHAVIOUR } from './unspecified-behaviour.ts'

const spec = readFileSync(new URL('spec.md', import.meta.url), 'utf8')

test('every unspecified behaviour quotes a line that occurs exactly once in its section', () => {
  const sections = parseSections(spec)
  for (const { section, quote } of UNSPECIFIED_BEHAVIOUR) {
    const lines = sections.find((one) => one.number === section)?.lines.map(withoutListMark)
    expect(lines).toContain(quote)
    expect(spec.split(quote)).toHaveLength(2)
  }
})

test('every "not shown" line of the specification has an unspecified behaviour', () => {
  const lines = spec.split('\n').filter((line) => line.includes('not shown'))
  expect(UNSPECIFIED_BEHAVIOUR.map(({ quote }) => quote)).toEqual(lines.map(withoutListMark))
})

test('unspecified behaviours have unique IDs', () => {
  expect(new Set(UNSPECIFIED_BEHAVIOUR.map(({ id }) => id)).size).toBe(UNSPECIFIED_BEHAVIOUR.length)
})

function withoutListMark(line: string): string {
  return line.replace(/^- /, '')
}
