import { LATENCY_PROFILES } from '../state/latency.ts'
import type { EmulatorOptions } from './emulator-options.ts'
import { OPTION_TABLE } from './option-table.ts'
import { DEFAULT_DECISIONS, type Decisions } from './unspecified-behaviour/decisions.ts'

/** The options that requests depend on, with their defaults filled in. */
export interface Settings
  extends
    Required<Pick<EmulatorOptions, 'seed' | 'answerTokens' | 'latency'>>,
    Pick<EmulatorOptions, 'publicUrl' | 'controlToken' | 'limitedRate' | 'createdRate'> {
  readonly decisions: Decisions
}

export const DEFAULT_SETTINGS: Settings = {
  seed: OPTION_TABLE.seed.default,
  answerTokens: OPTION_TABLE.answerTokens.default,
  latency: LATENCY_PROFILES[OPTION_TABLE.latency.default],
  decisions: DEFAULT_DECISIONS,
}
