import { MODELS, type Operation } from '../../contract/facts.ts'
import { parseCredits } from './credits.ts'

/** A model that a user adds to those of the specification. It has either a price or `aliasOf`. */
export interface CustomModel {
  readonly id: string
  /** Credits per token as a decimal string, as in the table of section 2.1, for example `0.002`. */
  readonly price?: string
  /** ID of a model of the specification whose price, latency and operations this model shares. */
  readonly aliasOf?: string
  /** Operations that the model serves. Default: those of `aliasOf`, or all. */
  readonly operations?: readonly Operation[]
}

export interface Model {
  readonly id: string
  /** Price per token in units of 0.0001 credit. */
  readonly unitsPerToken: number
  /**
   * ID of the model of the specification that determines latency and capabilities: the model itself, or the model of
   * which it is an alias. Undefined for a custom model with its own price.
   */
  readonly specified: string | undefined
  /** Operations of a custom model. If undefined, the option `capabilities` applies to `specified`. */
  readonly operations: readonly Operation[] | undefined
  /** True if the table of section 2.1 describes the model as a reasoning model. */
  readonly isReasoning: boolean
}

/** All models by id: first those of the specification, then custom models in the order given. */
export type ModelCatalog = ReadonlyMap<string, Model>

export const SPECIFIED_MODELS: ModelCatalog = new Map(
  MODELS.map(({ id, description, creditsPerToken }) => {
    const unitsPerToken = parseCredits(creditsPerToken) ?? Number.NaN
    const isReasoning = /reasoning/i.test(description)
    return [id, { id, unitsPerToken, specified: id, operations: undefined, isReasoning }]
  }),
)

/** Creates the model catalog of an emulator. `parseCustomModels` must have validated the custom models. */
export function createModelCatalog(customModels: readonly CustomModel[] = []): ModelCatalog {
  if (customModels.length === 0) return SPECIFIED_MODELS
  const added = customModels.map(({ id, price = '', aliasOf, operations }): [string, Model] => {
    const alias = aliasOf === undefined ? undefined : SPECIFIED_MODELS.get(aliasOf)
    const unitsPerToken = alias?.unitsPerToken ?? parseCredits(price) ?? Number.NaN
    return [id, { id, unitsPerToken, specified: alias?.id, operations, isReasoning: alias?.isReasoning === true }]
  })
  return new Map([...SPECIFIED_MODELS, ...added])
}
