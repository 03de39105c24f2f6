import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compareFactsWithSpec } from './compare-facts.ts'
import * as facts from './facts.ts'

const bytes = readFileSync(new URL('spec.md', import.meta.url))
const spec = bytes.toString('utf8')

test('spec.md has the digest SPEC_SHA256', () => {
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(facts.SPEC_SHA256)
})

test('the constants of facts.ts equal the tables of the specification', () => {
  expect(compareFactsWithSpec(facts, spec)).toEqual([])
})

describe('compareFactsWithSpec reports a changed fact with its place', () => {
  const { MODELS, ERROR_STATUSES, PARAMETERS, OBJECT_FIELDS, OPERATIONS, PARAMETER_DEFAULTS } = facts
  const changes: [name: string, change: object, difference: string][] = [
    [
      'a changed price',
      { MODELS: MODELS.map((row) => (row.id === 'o3-mini' ? { ...row, creditsPerToken: '0.005' } : row)) },
      '2.1, o3-mini, Cost (credits/token): facts 0.005, document 0.004',
    ],
    [
      'a changed status',
      { ERROR_STATUSES: ERROR_STATUSES.map((row) => (row.code === 402 ? { ...row, code: 403 } : row)) },
      '7, 402, Code: facts 403, document 402',
    ],
    ['a missing status', { ERROR_STATUSES: ERROR_STATUSES.slice(0, 5) }, '7, 500, Code: facts nothing, document 500'],
    [
      'an additional status',
      { ERROR_STATUSES: [...ERROR_STATUSES, { code: 503 }] },
      '7, 503, Code: facts 503, document nothing',
    ],
    [
      'a changed default of a parameter',
      { PARAMETERS: { ...PARAMETERS, chat: PARAMETERS.chat.map(with255) } },
      '4, default of chat max_tokens: facts 255, document 256',
    ],
    [
      'a changed default in section 8',
      { PARAMETER_DEFAULTS: { ...PARAMETER_DEFAULTS, n: 2 } },
      '8, defaults: facts max_tokens=256 n=2 stream=false temperature=1 voice=alloy, document max_tokens=256 n=1 stream=false temperature=1 voice=alloy',
    ],
    [
      'a changed requirement of a parameter',
      { PARAMETERS: { ...PARAMETERS, speech: PARAMETERS.speech.map((row) => ({ ...row, required: true })) } },
      '4.5, voice, Required: facts yes, document no',
    ],
    [
      'a changed type of a field',
      { OBJECT_FIELDS: { ...OBJECT_FIELDS, transcription: [{ name: 'text', type: 'array' }] } },
      '2.5, text, Type: facts array, document string',
    ],
    [
      'a changed upper end of a range',
      { TEMPERATURE_RANGE: { min: 0, max: 1 } },
      '8, range of temperature: facts 0 to 1, document 0 to 2',
    ],
    ['a changed key prefix', { KEY_PREFIX: 'sk-' }, '5, key prefix: facts sk-, document sk-svc-'],
    ['a changed path prefix', { PATH_PREFIX: '/v2' }, '9, path prefix: facts /v2, document /v1'],
    [
      'a changed image path',
      { IMAGE_PATH_PREFIX: '/images/' },
      '2.4, image path: facts /images/, document /v1/images/',
    ],
    ['changed roles', { MESSAGE_ROLES: ['user'] }, '2.3, roles: facts user, document system user assistant'],
    ['changed units per credit', { UNITS_PER_CREDIT: 1000 }, '2.1, units per credit: facts 1000, document 10000'],
  ]

  test.each(changes)('compareFactsWithSpec reports %s', (_, change, difference) => {
    expect(compareFactsWithSpec({ ...facts, ...change }, spec)).toContain(difference)
  })

  test('compareFactsWithSpec reports a changed path', () => {
    const moved = { ...OPERATIONS, speech: { ...OPERATIONS.speech, path: '/v1/speech' } }
    const [difference, ...others] = compareFactsWithSpec({ ...facts, OPERATIONS: moved }, spec)
    expect(difference).toMatch(/^4, operations: facts [^]*4\.5 POST \/v1\/speech json/)
    expect(others).toEqual([])
  })

  test('reports a table of the specification that facts.ts does not contain', () => {
    expect(compareFactsWithSpec(facts, `${spec}\n\n| New | Table |\n|---|---|\n| a | b |`)).toEqual([
      '9: no facts for table 1 of the document',
    ])
  })
})

function with255<Row extends { name: string }>(row: Row): Row {
  return row.name === 'max_tokens' ? { ...row, default: 255 } : row
}
