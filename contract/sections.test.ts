import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseSections } from './read-spec.ts'
import { GATEWAY_SENTENCES } from './gateway-sentences.ts'
import { findSections, formatSection, formatSource, SECTION_NAMES } from './sections.ts'

test('has a name for every section of the specification and for the text before the first one', () => {
  const numbers = parseSections(readFileSync(new URL('spec.md', import.meta.url), 'utf8')).map(({ number }) => number)
  expect(Object.keys(SECTION_NAMES).toSorted()).toEqual(['0', ...numbers].toSorted())
})

test('formats a known section with its name, and an unknown section without a name', () => {
  expect(formatSection('4.2')).toBe('§4.2 Chat completions')
  expect(formatSection('12')).toBe('§12')
})

test('formats the section of gateway.md, which is not a section of the specification, without a section sign', () => {
  expect(formatSection('gateway')).toBe('Gateway')
  expect(findSections('gateway')).toEqual([])
})

test('formats the source of a sentence of gateway.md with its number', () => {
  expect(formatSource('gateway', GATEWAY_SENTENCES[6].quote)).toBe('Gateway G7')
  expect(formatSource('gateway', 'another sentence')).toBe('Gateway')
  expect(formatSource('4.2', 'a sentence')).toBe('§4.2 Chat completions')
})

test.each([
  ['4', ['4']],
  ['§4.2', ['4.2']],
  ['Section 5', ['5']],
  ['chat', ['4.2', '2.3']],
  ['speech', ['4.5']],
  ['Authentication', ['5']],
  ['chat completions', ['4.2']],
  ['4.2/temperature-above', []],
  ['constructor', []],
])('finds the sections that %j names', (text, sections) => {
  expect(findSections(text)).toEqual(sections)
})
