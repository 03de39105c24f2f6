import type { OptionValue } from '../../common/options/option-table.ts'
import type { RequestLogLimits } from '../observability/request-log/request-log.ts'
import type { FaultInput } from '../scripting/faults/fault-rule.ts'
import type { Fixture } from '../scripting/fixtures/fixture.ts'
import type { Clock } from '../state/clock.ts'
import type { LatencyProfile } from '../state/latency.ts'
import type { CustomModel } from '../state/model-catalog.ts'
import type { NewAccount } from '../state/parse-new-account.ts'
import type { RateLimit } from '../state/limits/rate-limit.ts'
import type { ExtensionName } from '../operations/served-operations.ts'
import type { IN_PROCESS_OPTION_TABLE, OPTION_TABLE } from './option-table.ts'
import type { BehaviourOptions } from './unspecified-behaviour/behaviour-options.ts'

/**
 * Length of completions: `natural`, `fill` (always `max_tokens`), or a number of tokens. `max_tokens` is always the
 * upper bound.
 */
export type CompletionLength = 'natural' | 'fill' | number

/** TypeScript types of the emulator's own types in the option table. All others are strings, numbers or booleans. */
interface OptionTypes {
  readonly 'field-names': readonly string[]
  readonly clock: Clock
  readonly 'answer-tokens': CompletionLength
  readonly latency: LatencyProfile
  /** Limits of the request log. Missing limits have their default values. */
  readonly 'request-log-bounds': Partial<RequestLogLimits>
  readonly 'rate-limit': RateLimit
  /** Accounts in addition to the standard accounts. A reset restores them. */
  readonly accounts: readonly NewAccount[]
  /** Models in addition to those of the specification. */
  readonly models: readonly CustomModel[]
  /** Values by option id. `behaviour-options.md` lists the options with their defaults. */
  readonly 'behaviour-options': Partial<BehaviourOptions>
  /** Operations outside the specification that the emulator serves. */
  readonly extensions: readonly ExtensionName[]
  /** Fault rules. Only the first rule that applies to a request injects its fault. */
  readonly faults: readonly FaultInput[]
  readonly 'fault-file': readonly FaultInput[]
  /** Fixtures, or the path of a JSON file or of a folder with such files. */
  readonly fixtures: string | readonly Fixture[]
}

type ValuesOf<Table> = {
  // Omits `fault`, because the flag `--fault` adds a rule to `faults`.
  readonly [Name in keyof Table as Name extends 'fault' ? never : Name]?: OptionValue<Table[Name], OptionTypes>
}

/** Options of an emulator with a server. All are optional. */
export interface EmulatorOptions extends ValuesOf<typeof OPTION_TABLE>, ValuesOf<typeof IN_PROCESS_OPTION_TABLE> {}

/** Options of an emulator without a server. All are optional. */
export type InstanceOptions = Omit<EmulatorOptions, 'host' | 'port' | 'fastPath' | 'drainLimitMs'>
