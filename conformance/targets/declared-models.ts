import type { Operation } from '../../contract/facts.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

/** A model of the target, as its owner declares it. */
export interface DeclaredModel {
  readonly id: string
  /** In credits per token. */
  readonly price?: number
  /** The operations that it serves; chat, and perhaps others, if absent. */
  readonly operations?: readonly Operation[]
}

/**
 * The models that an owner declares: a list replaces the eight of section 2.1; an object names one model for each
 * operation, and leaves the eight as they are.
 */
export type ModelsOption = Readonly<Partial<Record<Operation, string>>> | readonly (string | DeclaredModel)[]

/** The models option in a uniform shape. */
export interface DeclaredModels {
  /** Model by operation, for operations with a declared model. */
  readonly byOperation: Readonly<Partial<Record<Operation, string>>>
  /** The models that replace those of the specification; undefined if none were given. */
  readonly own?: readonly DeclaredModel[]
}

/** Reads the models option. @throws InvalidOptionError for an empty list, or an id that is listed twice */
export function readModels(option: ModelsOption = {}): DeclaredModels {
  if (!isList(option)) return { byOperation: option }
  const own = option.map((model) => (typeof model === 'string' ? { id: model } : model))
  const twice = own.find(({ id }, index) => own.findIndex((other) => other.id === id) !== index)
  if (own.length === 0) throw invalid('must not be empty')
  if (twice !== undefined) throw invalid(`lists ${twice.id} twice: remove one entry`)
  return { byOperation: {}, own }
}

function isList(option: ModelsOption): option is readonly (string | DeclaredModel)[] {
  return Array.isArray(option)
}

function invalid(problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: 'models', problem })
}
