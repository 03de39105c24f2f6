import type { Operation } from '../../contract/facts.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

export interface DeclaredModel {
  readonly id: string
  /** Price in credits per token. */
  readonly price?: number
  /** Operations that the model serves. Default: chat, and the operations for which discovery selects the model. */
  readonly operations?: readonly Operation[]
}

/** Models that an owner declares: a list instead of section 2.1, or models for operations. */
export type ModelsOption = Readonly<Partial<Record<Operation, string>>> | readonly (string | DeclaredModel)[]

/** The models option after validation. */
export interface DeclaredModels {
  /** ID of the declared model for each operation. */
  readonly byOperation: Readonly<Partial<Record<Operation, string>>>
  /** Models that replace the specified models. Undefined if the owner declares none. */
  readonly own?: readonly DeclaredModel[]
}

/**
 * Validates the models option.
 * @throws InvalidOptionError for an empty list, and for an empty or duplicate ID
 */
export function parseModelsOption(option: ModelsOption = {}): DeclaredModels {
  if (!isList(option)) return { byOperation: option }
  const own = option.map((model) => (typeof model === 'string' ? { id: model } : model))
  const duplicate = own.find(({ id }, index) => own.findIndex((other) => other.id === id) !== index)
  if (own.length === 0) throw invalid('must not be empty')
  if (own.some(({ id }) => id.trim() === '')) throw invalid('contains an empty ID: name a model of the target')
  if (duplicate !== undefined) throw invalid(`lists ${duplicate.id} twice: remove one entry`)
  return { byOperation: {}, own }
}

function isList(option: ModelsOption): option is readonly (string | DeclaredModel)[] {
  return Array.isArray(option)
}

function invalid(problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: 'models', problem })
}
