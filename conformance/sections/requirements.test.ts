import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { UNSPECIFIED_BEHAVIOUR } from '../../contract/unspecified-behaviour.ts'
import { CHECKS } from './checks.ts'
import { REQUIREMENTS } from './requirements.ts'

const spec = readFileSync(new URL('../../contract/spec.md', import.meta.url), 'utf8')
const sentences = spec.split('\n').filter(isNormative).flatMap(splitSentences).filter(isNormative)

/** Returns whether a line specifies behaviour. Excludes headings without a path, column titles and introductions. */
function isNormative(line: string): boolean {
  const leadIn = /^(#{1,2} |### 2|- Request body|\|[-|]+\|?$|Placeholders:|This document|Allowed values|In the list)/
  const columnTitles = /^\| (Field|Value|Parameter|Code|Model ID) \|/
  return line.trim() !== '' && !leadIn.test(line) && !columnTitles.test(line)
}

/** Splits a line into sentences. A table row is one sentence. */
function splitSentences(line: string): readonly string[] {
  return line.startsWith('|') ? [line] : line.replace(/^(- |\d\. )/, '').split(/(?<=[.:]) (?=[A-Z])/)
}

describe('requirements', () => {
  test('requirements quote the specification verbatim', () => {
    expect(REQUIREMENTS.filter(({ quote }) => !spec.includes(quote)).map(({ id }) => id)).toEqual([])
  })

  test('requirements have unique IDs', () => {
    const ids = REQUIREMENTS.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('each requirement has either checks or a reason for having none', () => {
    const checked = new Set(CHECKS.map(({ requirement }) => requirement))
    const wrong = REQUIREMENTS.filter(({ id, excluded = '' }) => checked.has(id) === (excluded.trim() !== ''))
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  test('requirements cover each sentence of the specification', () => {
    const uncovered = sentences.filter(
      (sentence) => !REQUIREMENTS.some(({ quote }) => sentence.includes(quote) || quote.includes(sentence)),
    )
    expect(uncovered).toEqual([])
  })

  test('a requirement of level unspecified covers each unspecified behaviour', () => {
    const unspecified = new Set(REQUIREMENTS.filter(({ level }) => level === 'unspecified').map(({ quote }) => quote))
    expect(UNSPECIFIED_BEHAVIOUR.filter(({ quote }) => !unspecified.has(quote))).toEqual([])
  })
})

describe('checks', () => {
  test('checks have unique IDs and name an existing requirement', () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id))
    expect(CHECKS.filter(({ requirement }) => !known.has(requirement)).map(({ id }) => id)).toEqual([])
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length)
  })

  test('checks belong to the section of their requirement', () => {
    const misplaced = CHECKS.filter(({ id, requirement }) => id.split('/')[0] !== requirement.split('/')[0])
    expect(misplaced.map(({ id }) => id)).toEqual([])
  })

  test('checks named in a reason for exclusion exist', () => {
    const known = new Set([...REQUIREMENTS.map(({ id }) => id), ...CHECKS.map(({ id }) => id)])
    const pointers = REQUIREMENTS.flatMap(({ excluded = '' }) => excluded.match(/\d(\.\d)?\/[a-z0-9-]+/g) ?? [])
    expect(pointers.filter((pointer) => !known.has(pointer))).toEqual([])
  })
})
