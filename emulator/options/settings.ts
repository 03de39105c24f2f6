import { LATENCY_PROFILES } from '../state/latency.ts'
import { SPECIFIED_MODELS, type ModelCatalog } from '../state/model-catalog.ts'
import type { EmulatorOptions } from './emulator-options.ts'
import { OPTION_TABLE } from './option-table.ts'
import { DEFAULT_BEHAVIOUR_OPTIONS, type BehaviourOptions } from './unspecified-behaviour/behaviour-options.ts'

/** The options that affect the handling of requests, with defaults applied. */
export interface EmulatorSettings
  extends
    Required<Pick<EmulatorOptions, 'seed' | 'answerTokens' | 'latency'>>,
    Pick<EmulatorOptions, 'publicUrl' | 'controlToken' | 'limitedRate' | 'createdRate'> {
  readonly behaviour: BehaviourOptions
  readonly models: ModelCatalog
}

export const DEFAULT_SETTINGS: EmulatorSettings = {
  seed: OPTION_TABLE.seed.default,
  answerTokens: OPTION_TABLE.answerTokens.default,
  latency: LATENCY_PROFILES[OPTION_TABLE.latency.default],
  behaviour: DEFAULT_BEHAVIOUR_OPTIONS,
  models: SPECIFIED_MODELS,
}
