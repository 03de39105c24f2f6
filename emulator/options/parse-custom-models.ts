import { isJsonObject } from '../../common/json-object.ts'
import { MODELS, type Operation, OPERATION_NAMES, OPERATIONS } from '../../contract/facts.ts'
import { parseCredits } from '../state/credits.ts'
import { SPECIFIED_MODELS, type CustomModel } from '../state/model-catalog.ts'

/** Maximum price in credits per token. Up to this price, every cost is an exact integer number of units. */
const MAX_PRICE = 1000

const FORM =
  'A model has the form id=price or id=model, such as my-model=0.002 or gpt-4o=vendorc-4o; :chat+images limits its operations.'

/**
 * Parses custom models: a list of strings or objects, or one string with models separated by commas. Examples:
 * - `my-model=0.002`: price in credits per token
 * - `gpt-4o=vendorc-4o`: alias of a model of the specification
 * - `whisper=0.001:transcriptions+speech`: model that serves only these operations
 * @returns the models, or a sentence that describes the error
 */
export function parseCustomModels(value: unknown): readonly CustomModel[] | string {
  const items: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value]
  const models: CustomModel[] = []
  for (const item of items) {
    const model = typeof item === 'string' ? parseText(item.trim()) : parseObject(item)
    if (typeof model === 'string') return model
    models.push(model)
  }
  return describeDuplicateModel(models) ?? models
}

/** Returns an error message if two models have the same ID, and undefined otherwise. */
export function describeDuplicateModel(models: readonly CustomModel[]): string | undefined {
  const repeated = models.find(({ id }, index) => models.findIndex((model) => model.id === id) !== index)
  return repeated === undefined ? undefined : `The model '${repeated.id}' is given twice.`
}

function parseText(text: string): CustomModel | string {
  const [, id, value = '', operations] = /^(.+)=([^=:]+)(?::([a-z+]+))?$/.exec(text) ?? []
  if (id === undefined) return FORM
  const terms = /^[\d.]+$/.test(value) ? { price: value } : { aliasOf: value }
  return parseObject({ id, ...terms, ...(operations === undefined ? {} : { operations: operations.split('+') }) })
}

function parseObject(value: unknown): CustomModel | string {
  if (!isJsonObject(value)) return FORM
  const { id, price, aliasOf, operations, ...others } = value
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    return `A model has no field "${unknown}". The fields are id, price, aliasOf and operations.`
  }
  if (typeof id !== 'string' || !/^[^\s,"\\\p{Cc}]{1,200}$/u.test(id)) {
    return 'The id of a model must be 1 to 200 characters without spaces, commas, quotes and backslashes.'
  }
  if (SPECIFIED_MODELS.has(id)) return `The specification defines the model '${id}', so it cannot be changed.`
  if ((price === undefined) === (aliasOf === undefined)) return `The model '${id}' needs either "price" or "aliasOf".`
  if (operations !== undefined && !isOperationList(operations)) {
    return `The operations of the model '${id}' must be a list of ${OPERATION_NAMES.slice(1).join(', ')}.`
  }
  const served = operations === undefined ? {} : { operations }
  if (price === undefined) {
    if (typeof aliasOf === 'string' && SPECIFIED_MODELS.has(aliasOf)) return { id, aliasOf, ...served }
    const known = MODELS.map((model) => model.id).join(', ')
    return `The model '${id}' must have a price such as 0.002, or be an alias of a model of the specification: ${known}.`
  }
  const units = parseCredits(String(price))
  if (units === undefined || units > (parseCredits(String(MAX_PRICE)) ?? 0)) {
    return `The price of the model '${id}' must be credits per token from 0 to ${MAX_PRICE} with at most four fraction digits.`
  }
  return { id, price: String(price), ...served }
}

function isOperationList(value: unknown): value is readonly Operation[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => typeof name === 'string' && name !== 'models' && Object.hasOwn(OPERATIONS, name))
  )
}
