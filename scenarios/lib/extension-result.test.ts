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
import type { JsonSchema } from '../../common/schema/build-schema.ts'

const EXTENSION = fileURLToPath(new URL('../extension', import.meta.url))

const RESULT = {
  version: 3,
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
    ['of another version', { ...RESULT, version: 1 }, 'writes results of version 1, but this program reads version 3'],
    ['without a version', { ...RESULT, version: undefined }, 'version is missing'],
    ['that is not an object', null, 'it must be an object'],
    ['without a field', { ...RESULT, endedAtUnixMs: undefined }, 'endedAtUnixMs is missing'],
    ['with a field of another type', { ...RESULT, series: [{ atS: '0' }] }, 'series[0].requests is missing'],
    ['with an incomplete operation', { ...RESULT, operations: { chat: { sent: 1 } } }, 'operations.chat.ok is missing'],
    ['with a plan that is a list', { ...RESULT, plan: [] }, 'plan must be an object'],
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
function schemaOf(type: string, known: JsonSchema): JsonSchema {
  const [form] = known.anyOf ?? []
  if (form !== undefined) return { anyOf: [schemaOf(type.replace(/^\*/, ''), form), { type: 'null' }] }
  if (known.enum !== undefined) return type === 'string' ? known : {}
  if (type.startsWith('[]')) return { type: 'array', items: schemaOf(type.slice(2), known.items ?? {}) }
  const [, value] = /^map\[string\](.+)$/.exec(type) ?? []
  if (value !== undefined && known.additionalProperties !== false) {
    return { type: 'object', additionalProperties: schemaOf(value, known.additionalProperties ?? {}) }
  }
  if (value !== undefined) {
    const members = Object.entries(known.properties ?? {}).map(([name, inner]) => [name, schemaOf(value, inner)])
    return { ...known, properties: Object.fromEntries(members), required: [] }
  }
  const struct = type.replace(/^\*/, '')
  const full = struct.includes('.') ? struct : `record.${struct}`
  if (STRUCTS.has(full)) return structSchema(full, known)
  if (/^(?:int|int64|float64)$/.test(type)) return { type: 'number' }
  if (struct === 'bool') return { type: 'boolean' }
  return type === 'string' ? { type: 'string' } : {}
}

function structSchema(struct: string, known: JsonSchema): JsonSchema {
  const fields = jsonFields(struct)
  const members = fields.map(({ name, type, isOptional }) => {
    // Go omits an optional field if its pointer is nil.
    const schema = schemaOf(isOptional ? type.replace(/^\*/, '') : type, known.properties?.[name] ?? {})
    return [name, schema] as const
  })
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
  // The order of members has no meaning.
  const knownOrder = known.required ?? []
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: knownOrder.toSorted().join() === required.toSorted().join() ? knownOrder : required,
    additionalProperties: false,
  }
}

describe('the Go structs have the fields and types of the schema', () => {
  test('the Go structs match the schema of the result, except for fields that the k6 script adds', () => {
    const { checks: _checks, run: _run, sha256: _sha256, ...properties } = RESULT_SCHEMA.json.properties ?? {}
    const written = { ...RESULT_SCHEMA.json, properties }
    expect(written).toEqual(structSchema('record.Result', written))
  })

  test.each([
    ['record.ProgressResult', PROGRESS_SCHEMA.json],
    ['record.Events', EVENTS_LINE_SCHEMA.json],
  ] as const)('%s', (struct, schema) => {
    expect(schema).toEqual(structSchema(struct, schema))
  })

  test('the Go constant of the result version equals that of the schema', () => {
    const source = readFileSync(join(EXTENSION, 'record', 'result.go'), 'utf8')
    expect(/^const resultVersion = (\d+)$/m.exec(source)?.[1]).toBe(String(RESULT_VERSION))
  })
})
