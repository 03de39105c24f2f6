import { isModelId } from '../state/credits.ts'
import { invalidParameter, type Refusal } from '../refusals.ts'
import type { ModelId } from '../../contract/facts.ts'
import type { RequestFields, UploadedFile } from './operation.ts'

/** A row of a parameter table of sections 4.2 to 4.5. */
interface Parameter {
  readonly name: string
  readonly type: keyof ValueTypes
  readonly required: boolean
  readonly default?: unknown
}

interface ValueTypes {
  string: string
  integer: number
  number: number
  boolean: boolean
  array: readonly unknown[]
  file: UploadedFile
}

/** The value of each parameter by name: undefined only where it is optional and the document gives no default. */
export type Values<Table extends readonly Parameter[]> = {
  [Row in Table[number] as Row['name']]: Row extends { required: true } | { default: unknown }
    ? ValueTypes[Row['type']]
    : ValueTypes[Row['type']] | undefined
}

const IS_TYPE: { [Type in keyof ValueTypes]: (value: unknown) => boolean } = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  file: (value) => isUploadedFile(value),
}

/**
 * Reads the documented parameters: required ones must be there, types must match without coercion, defaults fill in. A
 * `null` counts as absent, and unknown fields are ignored: the document is silent on both.
 */
export function readParameters<const Table extends readonly Parameter[]>(
  table: Table,
  fields: RequestFields,
): Values<Table> | Refusal {
  const values: Record<string, unknown> = {}
  for (const { name, type, required, default: byDefault } of table) {
    const value = Object.hasOwn(fields.values, name) ? (fields.values[name] ?? undefined) : undefined
    if (value === undefined) {
      if (required) return { refused: 'missing-parameter', message: `'${name}' is required.`, parameter: name }
      values[name] = byDefault
    } else if (IS_TYPE[type](value)) {
      values[name] = value
    } else {
      return invalidParameter(name, `'${name}' must be ${withArticle(type)}, not ${kindOf(value)}.`)
    }
  }
  return values as Values<Table> // each value was compared with its row's type just now
}

/** The model of the request, when it is one of the table (section 2.1); else the refusal: 404. */
export function findModel(id: string): { readonly id: ModelId } | Refusal {
  if (isModelId(id)) return { id }
  const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id
  return { refused: 'unknown-model', message: `There is no model '${shown}'.`, parameter: 'model' }
}

/** Refuses an empty text: the document is silent, and nothing can be made of it. */
export function requireText(name: string, text: string): Refusal | undefined {
  return text === '' ? invalidParameter(name, `'${name}' must not be empty.`) : undefined
}

function isUploadedFile(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes)
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function kindOf(value: unknown): string {
  if (isUploadedFile(value)) return 'a file'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return `the number ${value}`
  return withArticle(typeof value)
}
