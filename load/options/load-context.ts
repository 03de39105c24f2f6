import type { LoadBudget } from '../../reports/load-document.ts'
import type { RateBounds, StepOutcome } from '../find/search-rate.ts'
import type { LoadPlan } from '../plan/plan-load.ts'
import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import type { DeclaredLimit } from '../../scenarios/lib/option-values.ts'
import type { FormatOptionName } from '../findings/describe-finding.ts'
import type { LoadKeys } from './load-options.ts'

/** Callbacks and settings of the caller besides the options of a load run. */
export interface LoadContext {
  readonly toolVersion: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Address of the proxy for the requests to the target, as k6 finds it in `environment`. */
  readonly proxy?: string | undefined
  /** The same for the requests to the upstream. */
  readonly upstreamProxy?: string | undefined
  /** Ends the run early when aborted; the document then covers the time until the abort. */
  readonly signal: AbortSignal
  /**
   * Starts an emulator in this process.
   * @param latency latency profile in the format of `--latency`; default: the caller's choice
   */
  startEmbedded(latency?: string): Promise<EmbeddedTarget>
  /** Names options in the sentences of the document; default: the names of `LoadOptions`. */
  readonly nameOption?: FormatOptionName
  /** Called when a phase begins that may take longer than a second. */
  onPhase?(phase: LoadPhase): void
  onProgress?(progress: ProgressResult): void
  /** Called before and after each run of a search. */
  onSearch?(event: SearchEvent): void
}

/** Progress of a search for the highest rate. `plan` is that of the run; rates are requests per second. */
export type SearchEvent = { readonly rate: number; readonly plan: LoadPlan; readonly bounds: RateBounds } & (
  | { readonly state: 'started' }
  | { readonly state: 'ended'; readonly outcome: StepOutcome; readonly budgets: readonly LoadBudget[] }
)

export interface LoadPhase {
  readonly name: 'building' | 'counting' | 'calibrating' | 'running' | 'comparing'
  readonly progress?: string
  /** Seconds since the phase began; only in phases that may take minutes. */
  readonly elapsedS?: number
}

/** An emulator that the run started itself. */
export interface EmbeddedTarget {
  readonly url: string
  readonly keys: Required<LoadKeys>
  readonly limit: DeclaredLimit
  readonly smallBalance: string
  close(): Promise<void>
}
