import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConformanceDocument } from '../conformance-document.ts'
import { DOCUMENT_KINDS, getSchema } from '../documents.ts'
import type { LoadDocument } from '../load-document.ts'
import type { ProveDocument } from '../prove-document.ts'
import { createFullDocument } from '../testing/full-document.ts'
import { createLoadDocument } from '../testing/sample-load.ts'
import { SAMPLE_PROVE } from '../testing/sample-prove.ts'
import { sortMembers } from './sort-members.ts'
import type { conformanceSchema } from './conformance-schema.ts'
import { findSchemaErrors } from './find-schema-errors.ts'
import type { loadSchema } from './load-schema.ts'
import type { proveSchema } from './prove-schema.ts'
import type { ValueOfSchema } from './schema-builder.ts'

/** Flattens intersection types, so that two equal shapes become the same type. */
type Plain<Type> = Type extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : Type extends object
    ? { readonly [Name in keyof Type]: Plain<Type[Name]> }
    : Type
type Same<A, B> =
  (<Probe>() => Probe extends Plain<A> ? 1 : 2) extends <Probe>() => Probe extends Plain<B> ? 1 : 2 ? true : false

type Agreement<Schema, Document> =
  Same<Schema, Document> extends true ? true : 'The schema in reports/schema/ differs from the type of the document'

// Compile-time tests: these constants do not compile if a schema differs from the type of its document.
const CONFORMANCE_AGREES: Agreement<ValueOfSchema<typeof conformanceSchema>, ConformanceDocument> = true
const LOAD_AGREES: Agreement<ValueOfSchema<typeof loadSchema>, LoadDocument> = true
const PROVE_AGREES: Agreement<ValueOfSchema<typeof proveSchema>, ProveDocument> = true

test('the comparison of types finds a difference in each member', () => {
  const more: Same<{ a: 1; b?: 2 }, { a: 1 }> = false
  const other: Same<{ a: 1 | 2 }, { a: 1 }> = false
  const free: Same<{ a?: 1 }, { a: 1 }> = false
  const deep: Same<{ a: { b: readonly { c: 1 }[] } }, { a: { b: readonly { c: 1; d?: 1 }[] } }> = false
  const spelled: Same<{ a: 1 } & ({ b: 1 } | { c: 1 }), { a: 1; b: 1 } | { a: 1; c: 1 }> = true
  expect([more, other, free, deep, spelled]).toEqual([false, false, false, false, true])
  expect([CONFORMANCE_AGREES, LOAD_AGREES, PROVE_AGREES]).toEqual([true, true, true])
})

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
    expect(findSchemaErrors(schema, sample)).toEqual([])
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
        expect(findSchemaErrors(schema, changed).length === 0).toBe(isValid)
      }),
      { numRuns: 400, seed: 1 },
    )
    expect(rejected).toBeGreaterThan(100)
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
  expect(findSchemaErrors(schema, { ...rest, checks: [{ ...first, verdict: 'fine' }] })).toEqual([
    '/checks/0/verdict: must be one of "pass", "fail", "warn", "observed", "not-testable", "error"',
  ])
  expect(findSchemaErrors(schema, rest)).toEqual(['/: must have the field "checks"'])
  expect(findSchemaErrors(schema, { ...rest, checks: [{ ...first, durationMs: Number.NaN }] })).toEqual([
    '/checks/0/durationMs: must be of type number',
  ])
  expect(findSchemaErrors(schema, { ...rest, checks, latency: undefined })).toEqual(['/latency: must be of type array'])
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
