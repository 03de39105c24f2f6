import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { SILENCES } from '../../contract/silences.ts'
import { CHECKS } from '../checks/all.ts'
import { REQUIREMENTS } from './all.ts'

const spec = readFileSync(new URL('../../contract/spec.md', import.meta.url), 'utf8')
const sentences = spec.split('\n').filter(isNormative).flatMap(splitSentences).filter(isNormative)

/** Lines that say something of the service: no headings without an address, no column titles, no lead-ins. */
function isNormative(line: string): boolean {
  const leadIn = /^(#{1,2} |### 2|- Request body|\|[-|]+\|?$|Placeholders:|This document|Allowed values|In the list)/
  const columnTitles = /^\| (Field|Value|Parameter|Code|Model ID) \|/
  return line.trim() !== '' && !leadIn.test(line) && !columnTitles.test(line)
}

/** The sentences of a line; the row of a table is one. */
function splitSentences(line: string): readonly string[] {
  return line.startsWith('|') ? [line] : line.replace(/^(- |\d\. )/, '').split(/(?<=[.:]) (?=[A-Z])/)
}

describe('the rows', () => {
  test('quote the document word for word', () => {
    expect(REQUIREMENTS.filter(({ quote }) => !spec.includes(quote)).map(({ id }) => id)).toEqual([])
  })

  test('have ids of their own, under their section', () => {
    const ids = REQUIREMENTS.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(REQUIREMENTS.filter(({ id, section }) => !id.startsWith(`${section}/`))).toEqual([])
  })

  test('have either checks or a reason why there are none', () => {
    const checked = new Set(CHECKS.map(({ requirement }) => requirement))
    const wrong = REQUIREMENTS.filter(({ id, excluded = '' }) => checked.has(id) === (excluded.trim() !== ''))
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  test('cover each sentence of the document', () => {
    const uncovered = sentences.filter(
      (sentence) => !REQUIREMENTS.some(({ quote }) => sentence.includes(quote) || quote.includes(sentence)),
    )
    expect(uncovered).toEqual([])
  })

  test('cover each silence of the document with a row of the level silent', () => {
    const silent = new Set(REQUIREMENTS.filter(({ level }) => level === 'silent').map(({ quote }) => quote))
    expect(SILENCES.filter(({ quote }) => !silent.has(quote))).toEqual([])
  })
})

describe('rows and checks', () => {
  test('each check has an id of its own, and names a requirement that exists', () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id))
    expect(CHECKS.filter(({ requirement }) => !known.has(requirement)).map(({ id }) => id)).toEqual([])
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length)
  })

  test('stand in the same section', () => {
    const astray = CHECKS.filter(({ id, requirement }) => id.split('/')[0] !== requirement.split('/')[0])
    expect(astray.map(({ id }) => id)).toEqual([])
  })

  test('a reason that names other rows or checks names some that exist', () => {
    const known = new Set([...REQUIREMENTS.map(({ id }) => id), ...CHECKS.map(({ id }) => id)])
    const pointers = REQUIREMENTS.flatMap(({ excluded = '' }) => excluded.match(/\d(\.\d)?\/[a-z0-9-]+/g) ?? [])
    expect(pointers.filter((pointer) => !known.has(pointer))).toEqual([])
  })
})
