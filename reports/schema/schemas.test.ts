import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSchemaProblems } from '../../common/schema/find-schema-problems.ts'
import { sortMembers } from '../../common/schema/sort-members.ts'
import { DOCUMENT_KINDS, getSchema } from '../documents.ts'
import { createFullDocument } from '../testing/full-document.ts'
import { createLoadDocument } from '../testing/sample-load.ts'
import { SAMPLE_PROVE } from '../testing/sample-prove.ts'

const SAMPLES = {
  conformance: createFullDocument(),
  load: createLoadDocument({ series: createLoadDocument().series.slice(410, 430) }),
  prove: SAMPLE_PROVE,
}
const ajv = new Ajv2020({ strict: true, allErrors: false })

describe.each(DOCUMENT_KINDS)('the schema of a %s document', (kind) => {
  const schema = getSchema(kind)
  const decide = ajv.compile(schema)
  const sample: unknown = JSON.parse(JSON.stringify(SAMPLES[kind]))

  test('the schema accepts a sample with every member', () => {
    expect(findSchemaProblems(schema, sample, 'the document')).toEqual([])
    expect(decide(sample)).toBe(true)
  })

  test('the schema validation agrees with ajv on changed samples', () => {
    const strange = fc.constantFrom<unknown>(null, -1, 0.5, '', 'x', true, [], {}, [1], { a: 1 })
    let rejected = 0
    const change = fc.tuple(fc.nat(), strange, fc.constantFrom('replace', 'remove', 'add'))
    fc.assert(
      fc.property(change, ([where, value, how]) => {
        const changed = changeAt(sample, where, value, how)
        const isValid = decide(changed)
        if (!isValid) rejected += 1
        expect(findSchemaProblems(schema, changed, 'the document').length === 0).toBe(isValid)
      }),
      { numRuns: 100, seed: 1 },
    )
    expect(rejected).toBeGreaterThan(50)
  })

  test('writes the same bytes for any order of members', () => {
    const turned = reverseMembers(sample)
    expect(JSON.stringify(turned)).not.toBe(JSON.stringify(sample))
    expect(JSON.stringify(sortMembers(schema, turned))).toBe(JSON.stringify(sortMembers(schema, sample)))
    expect(sortMembers(schema, turned)).toEqual(sample)
  })

  test('the schema equals the committed JSON file (update it by npx vitest run reports/schema -u)', async () => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`${kind}.schema.json`)
  })
})

test('a schema error names its path and the expected value', () => {
  const { checks, ...rest } = createFullDocument()
  const [first] = checks
  const schema = getSchema('conformance')
  expect(findSchemaProblems(schema, { ...rest, checks: [{ ...first, verdict: 'fine' }] }, 'the document')).toEqual([
    'checks[0].verdict must be "pass" or "fail" or "declared" or "warn" or "observed" or "not-testable" or "error"',
  ])
  expect(findSchemaProblems(schema, rest, 'the document')).toEqual(['checks is missing'])
  expect(
    findSchemaProblems(schema, { ...rest, checks: [{ ...first, durationMs: Number.NaN }] }, 'the document'),
  ).toEqual(['checks[0].durationMs must be a number'])
  expect(findSchemaProblems(schema, { ...rest, checks, latency: undefined }, 'the document')).toEqual([
    'latency is missing',
  ])
})

/**
 * Returns a copy of a value with one change.
 * @param where index of the member to change, counted over the whole value
 */
function changeAt(value: unknown, where: number, replacement: unknown, how: string): unknown {
  const copy: unknown = structuredClone(value)
  const places: (() => void)[] = []
  visit(copy, (owner, name) => {
    places.push(() => {
      if (how === 'remove') Reflect.deleteProperty(owner, name)
      else if (how === 'add') Reflect.set(owner, 'stranger', replacement)
      else Reflect.set(owner, name, replacement)
    })
  })
  places[where % places.length]?.()
  // Serializes and parses the copy, because JSON has no array holes.
  return JSON.parse(JSON.stringify(copy))
}

function visit(value: unknown, onPlace: (owner: object, name: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    onPlace(value, name)
    visit(member, onPlace)
  }
}

function reverseMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reverseMembers(member)]),
  )
}
