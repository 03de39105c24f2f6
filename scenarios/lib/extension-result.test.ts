import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  EVENTS_LINE_SCHEMA,
  PROGRESS_SCHEMA,
  readExtensionResult,
  RESULT_SCHEMA,
  RESULT_VERSION,
} from './extension-result.ts'
import type { ValueSchema } from './schema.ts'

const EXTENSION = fileURLToPath(new URL('../extension', import.meta.url))

const RESULT = {
  version: 1,
  startedAtUnixMs: 1,
  endedAtUnixMs: 2,
  segment: { index: 0, count: 1 },
  plan: null,
  operations: {},
  series: [],
  validation: { streams: 0, violations: [] },
}

describe('the result of the extension', () => {
  test('parses the result of the extension', () => {
    expect(readExtensionResult(RESULT)).toEqual(RESULT)
  })

  test.each<[string, unknown, string]>([
    ['of another version', { ...RESULT, version: 2 }, 'writes results of version 2, but this program reads version 1'],
    ['that is not an object', null, 'it is not an object'],
    ['with a field of another type', { ...RESULT, series: [{ atS: '0' }] }, 'series[0].atS is not a number'],
  ])('rejects a result of the extension in one sentence %s', (_name, value, words) => {
    expect(() => readExtensionResult(value)).toThrow(words)
    expect(() => readExtensionResult(value)).toThrow(/: build k6 from the same version of touchstone\.$/)
  })
})

/** Source code of the fields of each Go struct in the extension, keyed by the struct's name. */
const STRUCTS: ReadonlyMap<string, string> = new Map(
  ['record', 'spending', 'arrivals'].flatMap((folder) =>
    readdirSync(join(EXTENSION, folder))
      .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
      .flatMap((name) => [
        ...readFileSync(join(EXTENSION, folder, name), 'utf8').matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms),
      ])
      .map(([, name = '', fields = '']) => [`${folder}.${name}`, fields] as const),
  ),
)

interface GoField {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
}

/** Returns the fields of a struct that Go encodes as JSON, including those of embedded structs. */
function jsonFields(struct: string): GoField[] {
  const source = STRUCTS.get(struct) ?? expect.fail(`there is no Go struct ${struct}`)
  return source.split('\n').flatMap((line) => {
    const [, embedded] = /^\t([A-Z]\w*)$/.exec(line) ?? []
    if (embedded !== undefined) return jsonFields(`record.${embedded}`)
    const [, type = '', name, rest] = /^\t\w+\s+(\S+)\s+`json:"(\w+)(,omitempty)?"`/.exec(line) ?? []
    return name === undefined ? [] : [{ name, type, isOptional: rest !== undefined }]
  })
}

/**
 * Builds the schema of a Go type. Takes what the type does not state, such as the keys of a map, from the expected
 * schema `known`.
 */
function schemaOf(type: string, known: ValueSchema): ValueSchema {
  if (typeof known === 'object' && 'nullable' in known)
    return { nullable: schemaOf(type.replace(/^\*/, ''), known.nullable) }
  if (typeof known === 'object' && 'oneOf' in known) return type === 'string' ? known : 'unknown'
  if (type.startsWith('[]') && typeof known === 'object' && 'list' in known)
    return { list: schemaOf(type.slice(2), known.list) }
  const [, value] = /^map\[string\](.+)$/.exec(type) ?? []
  if (value !== undefined && typeof known === 'object' && 'map' in known) return { map: schemaOf(value, known.map) }
  if (value !== undefined && typeof known === 'object' && 'fields' in known) {
    const optional = Object.entries(known.optional ?? {}).map(([name, inner]) => [name, schemaOf(value, inner)])
    return { fields: {}, optional: Object.fromEntries(optional) }
  }
  const struct = type.replace(/^\*/, '')
  const full = struct.includes('.') ? struct : `record.${struct}`
  if (STRUCTS.has(full) && typeof known === 'object' && 'fields' in known) return structSchema(full, known)
  if (/^(?:int|int64|float64)$/.test(type)) return 'number'
  if (type === 'bool') return 'boolean'
  return type === 'string' ? 'string' : 'unknown'
}

function structSchema(struct: string, known: Extract<ValueSchema, { fields: unknown }>): ValueSchema {
  const all = { ...known.fields, ...known.optional }
  const entries = (isOptional: boolean) =>
    jsonFields(struct)
      .filter((field) => field.isOptional === isOptional)
      // Go omits an optional field if its pointer is nil.
      .map(
        ({ name, type }) =>
          [name, schemaOf(isOptional ? type.replace(/^\*/, '') : type, all[name] ?? 'unknown')] as const,
      )
  const optional = entries(true)
  return {
    fields: Object.fromEntries(entries(false)),
    ...(optional.length === 0 ? {} : { optional: Object.fromEntries(optional) }),
  }
}

describe('the Go structs have the fields and types of the schema', () => {
  test('the Go structs match the schema of the result, except for fields that the k6 script adds', () => {
    const { checks: _checks, run: _run, ...optional } = RESULT_SCHEMA.optional
    const written = { fields: RESULT_SCHEMA.fields, optional }
    expect(structSchema('record.Result', written)).toEqual(written)
  })

  test.each([
    ['record.ProgressResult', PROGRESS_SCHEMA],
    ['record.Events', EVENTS_LINE_SCHEMA],
  ] as const)('%s', (struct, schema) => {
    expect(structSchema(struct, schema)).toEqual(schema)
  })

  test('the Go constant of the result version equals that of the schema', () => {
    const source = readFileSync(join(EXTENSION, 'record', 'result.go'), 'utf8')
    expect(/^const resultVersion = (\d+)$/m.exec(source)?.[1]).toBe(String(RESULT_VERSION))
  })
})
