import type { DifferenceKind, InvalidRequestStatuses } from './difference-kind.ts'
import { PARAMETER_DIFFERENCES } from './parameter-differences.ts'
import { DONE_EVENT, ERROR_BODIES, MAX_TOKENS_DEFAULT, MEDIA_TYPES } from './response-differences.ts'
import { AUTHENTICATION, COERCED_VALUES, TEMPERATURE_RANGE_DIFFERENCE } from './served-differences.ts'
import { STATUS_DIFFERENCES } from './status-differences.ts'
import type { Operation } from '../../contract/facts.ts'
import type { ExpectedStatus } from '../findings/expectations.ts'
import type { Outcome } from '../findings/outcome.ts'

/** The differences that an owner may declare, by name: none that loses or damages data, or charges too much. */
const KINDS = {
  authentication: AUTHENTICATION,
  ...STATUS_DIFFERENCES,
  temperatureRange: TEMPERATURE_RANGE_DIFFERENCE,
  coercedValues: COERCED_VALUES,
  parameters: PARAMETER_DIFFERENCES,
  maxTokensDefault: MAX_TOKENS_DEFAULT,
  errorBodies: ERROR_BODIES,
  mediaTypes: MEDIA_TYPES,
  doneEvent: DONE_EVENT,
} as const

export const DIFFERENCE_NAMES: readonly string[] = Object.keys(KINDS)

type Kinds = typeof KINDS

export type DifferenceName = keyof Kinds

type ValueOfKind<Kind> = Kind extends DifferenceKind<infer Value> ? Value : never

/** Declarations of differences, as in the field `differences` of a target file. */
export type DifferencesOption = {
  readonly [Name in DifferenceName]?: { readonly value: ValueOfKind<Kinds[Name]>; readonly why: string }
}

export interface DeclaredDifference {
  readonly name: DifferenceName
  readonly value: unknown
  /** Reason of the owner. */
  readonly why: string
  /** Describes the declared behaviour: `validation errors get 422`. */
  readonly text: string
  /** See `DifferenceKind`. */
  replaceStatuses(request: InvalidRequestStatuses): readonly ExpectedStatus[]
  judge(outcome: Outcome, operation: Operation): Outcome | undefined
}

export function listDeclaredDifferences(option: DifferencesOption = {}): readonly DeclaredDifference[] {
  const names = Object.keys(option).filter((name): name is DifferenceName => Object.hasOwn(KINDS, name))
  return names.flatMap((name) => (option[name] === undefined ? [] : [bind(name, option[name])]))
}

function bind(
  name: DifferenceName,
  { value, why }: { readonly value: unknown; readonly why: string },
): DeclaredDifference {
  // TypeScript does not relate the kind and the value of the same name.
  const kind = KINDS[name] as DifferenceKind<unknown>
  return {
    name,
    value,
    why,
    text: kind.text(value),
    replaceStatuses: (request) => kind.replaceStatuses?.(value, request) ?? request.statuses,
    judge: (outcome, operation) => kind.judge?.(value, outcome, operation),
  }
}

/** Returns why the run accepts that a check is not testable: the owner declares the differences that prevent it. */
export function describeAcceptance(names: readonly string[]): string {
  return `declared: ${names.join(', ')}`
}

/** Returns the declared value of a difference. Returns undefined if the owner does not declare it. */
export function findDeclaredValue<Name extends DifferenceName>(
  differences: readonly DeclaredDifference[] | undefined,
  name: Name,
): ValueOfKind<Kinds[Name]> | undefined {
  const found = differences?.find((one) => one.name === name)
  // `bind` creates the difference from a value of this type.
  return found?.value as ValueOfKind<Kinds[Name]> | undefined
}

/** A value that one outcome shows, for a difference that an owner might declare. */
export interface DetectedDifference {
  readonly name: DifferenceName
  readonly value: unknown
}

/** Lists the differences that could explain an outcome. `bodies` contains the JSON of its responses. */
export function detectDifferences(
  outcome: Outcome,
  operation: Operation,
  bodies: readonly unknown[],
): readonly DetectedDifference[] {
  return Object.entries(KINDS).flatMap(([name, kind]) => {
    const value: unknown = kind.detect?.(outcome, operation, bodies)
    return value === undefined ? [] : [{ name: name as DifferenceName, value }]
  })
}
