import { PARAMETERS, QUALITY_MODES, type Operation } from '../../contract/facts.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Model, ModelCatalog } from '../state/model-catalog.ts'
import { createParameterError, type ApiError } from '../core/api-errors.ts'
import type { RequestFields } from './operation.ts'
import { isUploadedFile, type UploadedFile } from './uploaded-file.ts'
import { readOptionalFields, type OperationWithBody, type OptionalFields } from './optional-fields.ts'

/** A row of a parameter table in sections 4.2 to 4.5, or of an extension. */
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
  /** Type of parameters with any JSON value. Only extensions have such parameters. */
  json: unknown
}

/** Parsed parameters by name. Only optional parameters without a default can be undefined. */
export type ParameterValues<Table extends readonly Parameter[]> = {
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
  json: () => true,
}

const NO_OPTIONAL_FIELDS: OptionalFields = { served: undefined, ignored: [] }

/** Parses the fields that the specification does not define. Returns an error if the options reject one of them. */
export function parseOptionalFields(
  operation: OperationWithBody,
  fields: RequestFields,
  behaviour: BehaviourOptions,
): OptionalFields | ApiError {
  const table: readonly Parameter[] = PARAMETERS[operation]
  for (const name in fields.values) {
    if (!table.some((row) => row.name === name)) return readOptionalFields(operation, fields, behaviour)
  }
  return NO_OPTIONAL_FIELDS
}

/**
 * Validates the fields of a body against a parameter table. Required parameters must be present, types must match
 * without coercion, and defaults replace missing values.
 * @returns the values, or a validation error
 */
export function parseParameters<const Table extends readonly Parameter[]>(
  table: Table,
  fields: RequestFields,
  behaviour: BehaviourOptions,
): ParameterValues<Table> | ApiError {
  const values: Record<string, unknown> = {}
  const rejected = findRejectedField(table, fields, behaviour)
  if (rejected !== undefined) return rejected
  for (const { name, type, required, default: defaultValue } of table) {
    const value = Object.hasOwn(fields.values, name) ? (fields.values[name] ?? undefined) : undefined
    if (value === undefined) {
      if (required) return { code: 'missing-parameter', message: `'${name}' is required.`, parameter: name }
      values[name] = defaultValue
    } else if (IS_TYPE[type](value)) {
      values[name] = value
    } else {
      return createParameterError(name, `'${name}' must be ${withArticle(type)}, not ${describeType(value)}.`)
    }
  }
  return values as ParameterValues<Table> // Each value was checked against the type of its row.
}

/**
 * Returns an error if the options reject a null, or an integer with a decimal point or an exponent. Also rejects an
 * unknown quality mode. `optional-fields.ts` handles fields that the table does not contain.
 */
function findRejectedField(
  table: readonly Parameter[],
  fields: RequestFields,
  behaviour: BehaviourOptions,
): ApiError | undefined {
  const { 'quality-parameter': quality } = behaviour
  for (const [name, value] of acceptsAllFields(behaviour) ? [] : Object.entries(fields.values)) {
    const row = table.find((parameter) => parameter.name === name)
    if (row !== undefined && value === null && behaviour['null-fields'] === 'refused') {
      return createParameterError(name, `'${name}' must be ${withArticle(row.type)}, not null.`)
    }
    const source = fields.numberSources?.[name] ?? ''
    if (row?.type === 'integer' && /[.eE]/.test(source) && behaviour['integer-form'] === 'plain') {
      return createParameterError(
        name,
        `'${name}' must be an integer without a decimal point or an exponent, not ${source}.`,
      )
    }
  }
  const chosen = fields.values[quality]
  if (quality === 'none' || chosen === undefined || QUALITY_MODES.some(({ value }) => value === chosen))
    return undefined
  return createParameterError(quality, `'${quality}' must be ${QUALITY_MODES.map(({ value }) => value).join(', ')}.`)
}

function acceptsAllFields(behaviour: BehaviourOptions): boolean {
  const { 'null-fields': nulls, 'integer-form': integers } = behaviour
  return nulls !== 'refused' && integers !== 'plain'
}

/**
 * Finds a model of the specification or a custom model that serves the operation.
 * @returns the model, or an error: 404, or 400 if the option `capability-refusal` selects it
 */
export function findModel(
  id: string,
  operation: Operation | 'embeddings',
  { models, behaviour }: { readonly models: ModelCatalog; readonly behaviour: BehaviourOptions },
): Model | ApiError {
  const model = models.get(id)
  if (model === undefined) {
    const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id
    return {
      code: 'unknown-model',
      message: `There is no model '${shown}'. The option models (--model) adds models to the emulator.`,
      parameter: 'model',
    }
  }
  if (servesOperation(model, operation, behaviour)) return model
  const message = `The model '${id}' does not serve ${operation}.`
  if (behaviour['capability-refusal'] === '400') return createParameterError('model', message)
  return { code: 'unknown-model', message, parameter: 'model' }
}

/**
 * Returns true if the model serves the operation. The option `capabilities` applies only to models of the
 * specification.
 */
export function servesOperation(
  { specified, operations }: Model,
  operation: Operation | 'embeddings',
  { capabilities }: BehaviourOptions,
): boolean {
  if (operation === 'embeddings') return true // Capabilities are defined only for operations of the specification.
  if (operations !== undefined) return operations.includes(operation)
  return specified === undefined || capabilities === 'all' || (capabilities[operation]?.includes(specified) ?? true)
}

/** Returns a validation error if the text is empty, unless the option `empty-text` accepts it. */
export function checkNotEmpty(name: string, text: string, behaviour: BehaviourOptions): ApiError | undefined {
  if (text !== '' || behaviour['empty-text'] === 'accepted') return undefined
  return createParameterError(name, `'${name}' must not be empty.`)
}

export function checkAllowedValue(
  name: string,
  value: string,
  listed: 'any' | readonly string[],
): ApiError | undefined {
  if (listed === 'any' || listed.includes(value)) return undefined
  return createParameterError(name, `'${name}' must be one of ${listed.join(', ')}.`)
}

/** Returns a validation error if the number is outside the inclusive range. */
export function checkRange(name: string, value: number, min: number, max: number): ApiError | undefined {
  if (value >= min && value <= max) return undefined
  return createParameterError(name, `'${name}' must be from ${min} to ${max}, not ${value}.`)
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function describeType(value: unknown): string {
  if (isUploadedFile(value)) return 'a file'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return `the number ${value}`
  return withArticle(typeof value)
}
