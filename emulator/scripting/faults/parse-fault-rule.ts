import { isJsonObject } from '../../../common/json-object.ts'
import { type FaultAction, type FaultRule, LOSS_PLACES, replacesResponse, requiresStream } from './fault-rule.ts'
import { findSimilarName } from '../../../common/text-similarity.ts'
import { isChatOperation, SERVED_OPERATIONS, type ServedOperationName } from '../../operations/served-operations.ts'
import { tryToParseJson } from '../../../common/parse-json.ts'
import { areValidHeaders, isJsonValue } from '../value-checks.ts'

/**
 * Parses fault rules from a JSON value: a rule, a list of rules, or `{"faults": [...]}`. Each rule is an object or a
 * string.
 * @returns the rules, or a sentence that describes the error
 */
export function parseFaultRules(value: unknown): readonly FaultRule[] | string {
  const inner = isJsonObject(value) && 'faults' in value ? value['faults'] : value
  if (!Array.isArray(inner)) {
    const rule = parseRuleOrText(inner)
    return typeof rule === 'string' ? rule : [rule]
  }
  const rules: FaultRule[] = []
  for (const [index, one] of inner.entries()) {
    const rule = parseRuleOrText(one)
    if (typeof rule === 'string') return inner.length === 1 ? rule : `Fault ${index + 1} is invalid. ${rule}`
    rules.push(rule)
  }
  return rules
}

function parseRuleOrText(value: unknown): FaultRule | string {
  return typeof value === 'string' ? parseFaultRuleText(value) : parseFaultRule(value)
}

/**
 * Parses a fault rule from JSON, or from its text form: `operation=chat,times=2,status=500`. A field without a value,
 * such as `drop`, is true. Values that contain a comma require JSON.
 * @returns the rule, or a sentence that describes the error
 */
export function parseFaultRuleText(text: string): FaultRule | string {
  return parseFaultRule(text.trimStart().startsWith('{') ? tryToParseJson(text) : parsePairs(text))
}

function parsePairs(text: string): Record<string, unknown> {
  // The object has no prototype, so that a field named `__proto__` is an unknown field.
  const fields: Record<string, unknown> = Object.create(null)
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=')
    const name = (equals === -1 ? pair : pair.slice(0, equals)).trim()
    fields[name] = equals === -1 ? true : parseFieldValue(name, pair.slice(equals + 1).trim())
  }
  return fields
}

function parseFieldValue(name: string, text: string): unknown {
  const kind = getFieldKind(name)
  if (kind === 'number') return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (kind === 'flag') return text === 'true' ? true : text
  return text
}

/** Maximum delay of a fault: one day. */
const MAX_DELAY_MS = 86_400_000

interface Field {
  readonly kind: 'text' | 'number' | 'flag' | 'json'
  readonly description: string
  accepts(value: unknown): boolean
}

const TEXT: Field = {
  kind: 'text',
  description: 'a string',
  accepts: (value) => typeof value === 'string' && value !== '',
}
const FLAG: Field = { kind: 'flag', description: 'true', accepts: (value) => value === true }
const MS = defineIntegerField(0, MAX_DELAY_MS)
const NON_NEGATIVE = defineIntegerField(0, Number.MAX_SAFE_INTEGER)
const POSITIVE = defineIntegerField(1, Number.MAX_SAFE_INTEGER)

const SELECTION: Readonly<Record<Exclude<keyof FaultRule, keyof FaultAction>, Field>> = {
  account: TEXT,
  key: TEXT,
  operation: {
    kind: 'text',
    description: `one of ${SERVED_OPERATIONS.join(', ')}`,
    accepts: (value) => typeof value === 'string' && SERVED_OPERATIONS.includes(value),
  },
  model: TEXT, // `FaultInjector.parse` checks whether the emulator has the model.
  header: {
    kind: 'text',
    description: '"name" or "name: value"',
    accepts: (value) => typeof value === 'string' && /^[\w-]+(:|$)/.test(value),
  },
  ordinal: POSITIVE,
  after: NON_NEGATIVE,
  every: POSITIVE,
  probability: {
    kind: 'number',
    description: 'a number from 0 to 1',
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
  times: POSITIVE,
}

const ACTION: Readonly<Record<keyof FaultAction, Field>> = {
  status: defineIntegerField(200, 599),
  body: { kind: 'json', description: 'a JSON value', accepts: isJsonValue },
  headers: { kind: 'json', description: 'an object of header fields, each a string', accepts: areValidHeaders },
  retryAfterSeconds: NON_NEGATIVE,
  contentType: { ...TEXT, description: 'a media type', accepts: (value) => areValidHeaders({ 'content-type': value }) },
  delayMs: MS,
  itlMs: MS,
  cutAfterEvents: NON_NEGATIVE,
  cutAfterBytes: NON_NEGATIVE,
  errorAfterEvents: NON_NEGATIVE,
  stallAfterEvents: NON_NEGATIVE,
  malformedEvent: POSITIVE,
  neverEnds: FLAG,
  loseAt: {
    kind: 'text',
    description: `one of ${LOSS_PLACES.join(', ')}`,
    accepts: (value) => LOSS_PLACES.some((place) => place === value),
  },
  refuseMs: MS,
  drop: FLAG,
  reset: FLAG,
}

const FIELDS: Readonly<Record<keyof FaultRule, Field>> = { ...SELECTION, ...ACTION }

/** Returns the type of a rule's field, or undefined for an unknown field. */
export function getFieldKind(name: string): Field['kind'] | undefined {
  return isFieldName(name) ? FIELDS[name].kind : undefined
}

/**
 * Parses a fault rule from its JSON value.
 * @returns the rule, or a sentence that describes the error
 */
export function parseFaultRule(value: unknown): FaultRule | string {
  if (!isJsonObject(value)) {
    return 'A fault must be an object such as {"operation": "chat", "times": 2, "status": 500}.'
  }
  for (const [name, given] of Object.entries(value)) {
    if (!isFieldName(name)) return describeUnknownField(name)
    if (!FIELDS[name].accepts(given)) return `"${name}" of a fault must be ${FIELDS[name].description}.`
  }
  const rule = value as FaultRule // Every field was checked against the table.
  return findContradiction(rule) ?? rule
}

/**
 * Parses the action of a fault that applies to the response of a fixture, and therefore selects no requests.
 * @returns the action, or a sentence that describes the error
 */
export function parseFaultAction(value: unknown, operation: ServedOperationName): FaultAction | string {
  const rule = parseFaultRule(value)
  if (typeof rule === 'string') return rule
  const name = Object.keys(rule).find((field) => Object.hasOwn(SELECTION, field))
  return name === undefined
    ? (findMissingStream(rule, operation) ?? rule)
    : `The fault of a fixture cannot have "${name}". Use conditions of the fixture, such as "ordinal".`
}

function findMissingStream(action: FaultAction, operation: ServedOperationName): string | undefined {
  if (!requiresStream(action) || isChatOperation(operation)) return undefined
  return `This fault applies only to streams, and ${operation} has none.`
}

function describeUnknownField(name: string): string {
  const names = Object.keys(FIELDS)
  const similar = findSimilarName(name, names)
  const suggestion = similar === undefined ? '' : ` Did you mean "${similar}"?`
  return `A fault has no field "${name}".${suggestion} The fields are ${names.join(', ')}.`
}

/** Actions that replace or end a response. A rule can have at most one of these actions. */
const ENDING_ACTIONS = [
  'status',
  'cutAfterEvents',
  'cutAfterBytes',
  'errorAfterEvents',
  'stallAfterEvents',
  'neverEnds',
  'loseAt',
  'drop',
] as const
const OTHER_ACTIONS = [
  'headers',
  'retryAfterSeconds',
  'contentType',
  'delayMs',
  'itlMs',
  'malformedEvent',
  'reset',
] as const

function findContradiction(rule: FaultRule): string | undefined {
  const [end, second] = ENDING_ACTIONS.filter((name) => rule[name] !== undefined)
  if (second !== undefined) return `A fault can have "${end}" or "${second}", but not both.`
  if (end === undefined && OTHER_ACTIONS.every((name) => rule[name] === undefined)) {
    return `A fault needs an action: one of ${[...ENDING_ACTIONS, ...OTHER_ACTIONS].join(', ')}.`
  }
  if (rule.reset && end !== undefined && !end.startsWith('cutAfter') && end !== 'loseAt') {
    return `"reset" can be used alone or with "cutAfterEvents", "cutAfterBytes" or "loseAt", not with "${end}".`
  }
  if (rule.refuseMs !== undefined && rule.loseAt !== 'connection') {
    return '"refuseMs" needs "loseAt" with the value "connection".'
  }
  if (rule.body !== undefined && end !== 'status' && end !== 'errorAfterEvents') {
    return '"body" needs "status" or "errorAfterEvents".'
  }
  if (replacesResponse(rule) && requiresStream(rule)) {
    return `"${end ?? 'reset'}" sends no events, so it cannot be combined with "itlMs" or "malformedEvent".`
  }
  return rule.operation === undefined ? undefined : findMissingStream(rule, rule.operation)
}

function isFieldName(name: string): name is keyof FaultRule {
  return Object.hasOwn(FIELDS, name)
}

function defineIntegerField(lowest: number, highest: number): Field {
  const upTo = highest === Number.MAX_SAFE_INTEGER ? `of at least ${lowest}` : `from ${lowest} to ${highest}`
  return {
    kind: 'number',
    description: `an integer ${upTo}`,
    accepts: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= lowest && value <= highest,
  }
}
