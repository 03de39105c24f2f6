import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RequirementLevel } from '../../engine/requirement.ts'
import { GATEWAY_REQUIREMENTS } from './requirements.ts'

const LEVELS: Readonly<Record<string, RequirementLevel>> = {
  integrity: 'stated',
  convention: 'convention',
  policy: 'unspecified',
}

const text = readFileSync(new URL('../../../contract/gateway.md', import.meta.url), 'utf8')
const headings = text.match(/^### .*$/gm) ?? []
/** The numbered sentences: heading, sentence, and a line with ID, level and source. */
const sentences = [...text.matchAll(/^### (G\d+) \S.*\n\n(.+)\n\n`(.+)`, (\w+)\. Source: \S.*\.$/gm)].map(
  ([, number, quote, id, level = '']) => ({ number, quote, id, level: LEVELS[level] }),
)

test('the sentences of gateway.md are numbered consecutively, and each has an ID, a level and a source', () => {
  expect(sentences.length).toBeGreaterThan(0)
  expect(sentences.map(({ number }) => number)).toEqual(headings.map((_, index) => `G${index + 1}`))
})

test('each sentence of gateway.md has one requirement with its ID, level and verbatim text, in the same order', () => {
  expect(GATEWAY_REQUIREMENTS).toEqual(
    sentences.map(({ id, level, quote }) => ({ id, level, quote, section: 'gateway' })),
  )
})

test('requirements for gateways have unique IDs of the section gateway', () => {
  const ids = GATEWAY_REQUIREMENTS.map(({ id }) => id)
  expect(ids.filter((id) => !/^gateway\/[a-z]+(?:-[a-z]+)*$/.test(id))).toEqual([])
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('gateway.md states the numbers of the sentences of each level', () => {
  const rows = text.matchAll(/^\| (\w+) \| (G\d+) to (G\d+) \|/gm)
  const stated = [...rows].map(([, level = '', first, last]) => ({ level: LEVELS[level], first, last }))
  const actual = Object.values(LEVELS).map((level) => {
    const numbers = sentences.filter((sentence) => sentence.level === level).map(({ number }) => number)
    return { level, first: numbers[0], last: numbers.at(-1) }
  })
  expect(stated).toEqual(actual)
})
