import type { LoadBudget } from '../../reports/load-parts-document.ts'
import type { StepOutcome } from '../find/search-levels.ts'
import type { K6BuildProgress } from '../k6/build-k6.ts'
import type { LoadPlan, SearchPlan } from '../plan/load-plan.ts'
import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import type { DeclaredLimit } from '../../scenarios/lib/option-values.ts'
import type { OptionNameFormatter } from '../findings/define.ts'
import type { LoadKeys } from './load-options.ts'

/** Callbacks and settings that the caller of a load run provides, besides its options. */
export interface LoadContext {
  readonly toolVersion: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Address of the proxy that k6 finds in `environment` for requests to the target. */
  readonly proxy?: string | undefined
  /** Address of the proxy for requests to the upstream. */
  readonly upstreamProxy?: string | undefined
  /** Ends the run early when aborted. The document then covers the time until the abort. */
  readonly signal: AbortSignal
  /** Starts an emulator in this process. */
  startEmbedded(): Promise<EmbeddedTarget>
  /** Formats the names of options in the sentences of the document. Default: the names of `LoadOptions`. */
  readonly nameOption?: OptionNameFormatter
  /** Called at the start of each phase, and with the progress of a build of k6 and of a calibration. */
  onPhase?(phase: LoadPhase): void
  onProgress?(progress: ProgressResult): void
  /** Called before and after each run of a search. */
  onSearch?(event: SearchEvent): void
}

/** Context of a load run whose target is open. */
export interface RunContext extends LoadContext {
  /** Aborts requests for an emulator's record. Aborts later than `signal`, so that an interrupted run has a comparison. */
  readonly recordSignal: AbortSignal
}

/** Start of a run during a search for the capacity, and its end, which has a result. */
export interface SearchEvent {
  readonly level: number
  readonly unit: SearchPlan['unit']
  /** Plan of this run. */
  readonly plan: LoadPlan
  readonly result?: { readonly outcome: StepOutcome; readonly budgets: readonly LoadBudget[] }
}

export interface LoadPhase {
  readonly name: 'building' | 'testing-model' | 'calibrating' | 'running' | 'comparing' | 'waiting'
  readonly progress?: string
  /** Progress of a build of k6. */
  readonly build?: K6BuildProgress
}

/** An emulator that the run started itself. */
export interface EmbeddedTarget {
  readonly url: string
  readonly keys: Required<LoadKeys>
  readonly limit: DeclaredLimit
  readonly smallBalance: string
  close(): Promise<void>
}
