import type { UrlProblem } from '../../findings/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation, FieldType } from '../../findings/expectations.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { getMember, isCount, isObject, getItems, getMediaType } from './response-access.ts'

/** Minimum of a Unix time that must be in milliseconds. Unix times in seconds stay below it for a thousand years. */
const MIN_MILLISECONDS = 1e11

type Path = readonly (string | number)[]

/** Returns a deviation if a field in a JSON value does not have the expected type, and undefined otherwise. */
export function findTypeDeviation(json: unknown, path: Path, type: FieldType): Deviation | undefined {
  const value = getMember(json, ...path)
  if (type === 'unix-seconds' && isCount(value) && Number(value) >= MIN_MILLISECONDS) {
    return { code: 'wrong-value', params: { path: textOf(path), actual: createExcerpt(value), unit: 'ms' } }
  }
  return IS_OF_TYPE[type](value) ? undefined : createWrongType(path, value)
}

/** Compares a field of a JSON value with its only valid value. Returns undefined if they are equal. */
export function compareValue(json: unknown, path: Path, expected: string | number): Deviation | undefined {
  const value = getMember(json, ...path)
  if (value === expected) return undefined
  return typeof value === typeof expected ? createWrongValue(path, value) : createWrongType(path, value)
}

/** Creates the deviation of a field that has the expected type, but an unexpected value. */
export function createWrongValue(
  path: Path,
  value: unknown,
  details: { readonly urlProblem?: UrlProblem } = {},
): Deviation {
  return { code: 'wrong-value', params: { path: textOf(path), actual: createExcerpt(value), ...details } }
}

export function createWrongType(path: Path, value: unknown): Deviation {
  if (value === undefined) return { code: 'missing-field', params: { path: textOf(path) } }
  return { code: 'wrong-type', params: { path: textOf(path), actualType: typeOf(value), actual: createExcerpt(value) } }
}

/** Calls `find` with the path of each item of an array, which must not be empty. */
export function findItemDeviation(
  json: unknown,
  path: Path,
  find: (itemPath: Path) => Deviation | undefined,
): Deviation | undefined {
  const value = getMember(json, ...path)
  if (!Array.isArray(value)) return createWrongType(path, value)
  if (value.length === 0) return { code: 'wrong-count', params: { path: textOf(path), actualCount: 0 } }
  return findFirstDeviation(getItems(value).map((_item, index) => find([...path, index])))
}

/** Compares the media type of a response with the expected one. Ignores media type parameters such as `charset`. */
export function compareMediaType(response: Exchange, expected: string): Deviation | undefined {
  const actualMediaType = getMediaType(response)
  return actualMediaType === expected ? undefined : { code: 'unexpected-media-type', params: { actualMediaType } }
}

/** A field of a JSON result that one check evaluates. */
export interface ResultField {
  /** ID of the check and of its requirement. */
  readonly id: string
  readonly title: string
  readonly expected: Expectation
  find(json: unknown): Deviation | undefined
}

/** Creates a field with a required type or value. In its path, `[]` stands for each item of an array. */
export function defineField(
  id: string,
  title: string,
  field: string,
  required: FieldType | { readonly value: string },
): ResultField {
  const [start = '', ofItem] = field.split('[].')
  const findAt = (json: unknown, path: Path): Deviation | undefined =>
    typeof required === 'string' ? findTypeDeviation(json, path, required) : compareValue(json, path, required.value)
  const find = (json: unknown): Deviation | undefined =>
    ofItem === undefined
      ? findAt(json, [start])
      : findItemDeviation(json, [start], (item) => findAt(json, [...item, ...ofItem.split('.')]))
  return {
    id,
    title,
    expected: typeof required === 'string' ? { field, type: required } : { field, ...required },
    find,
  }
}

export function findFirstDeviation(deviations: readonly (Deviation | undefined)[]): Deviation | undefined {
  return deviations.find((deviation) => deviation !== undefined)
}

const IS_OF_TYPE: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  count: isCount,
  object: isObject,
  items: (value) => Array.isArray(value) && value.length > 0,
  objects: (value) => Array.isArray(value) && value.every(isObject),
  'unix-seconds': isCount,
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function textOf(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
    .join('')
}
