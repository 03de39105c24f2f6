import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import type { DeclaredLimit } from '../../scenarios/lib/option-values.ts'
import type { NameOption } from '../findings/describe-finding.ts'
import type { LoadKeys } from './load-options.ts'

/** Callbacks and settings of the caller that are not options of a load run. */
export interface LoadContext {
  readonly toolVersion: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Ends the run early; the document then covers the time until then. */
  readonly signal: AbortSignal
  /** Starts an emulator in this process. `latency` as on the command line; default: the caller's choice. */
  startEmbedded(latency?: string): Promise<EmbeddedTarget>
  /** Names options in the sentences of the document; default: as in `LoadOptions`. */
  readonly nameOption?: NameOption
  /** Called when a phase begins that may take more than a second. */
  onPhase?(phase: LoadPhase): void
  onProgress?(progress: ProgressResult): void
}

export interface LoadPhase {
  readonly name: 'building' | 'counting' | 'calibrating' | 'running' | 'comparing'
  readonly progress?: string
  /** Seconds since the phase began, in phases that may take minutes. */
  readonly elapsedS?: number
}

/** An emulator that was started for a run. */
export interface EmbeddedTarget {
  readonly url: string
  readonly keys: Required<LoadKeys>
  readonly limit: DeclaredLimit
  readonly smallBalance: string
  close(): Promise<void>
}
