import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { RunFacts } from '../engine/open-run.ts'
import type { RunSettings } from '../engine/settings.ts'

/** How far a run is. */
export interface RunProgress {
  readonly done: number
  readonly total: number
}

/** What a front hands back. `facts` is undefined when the run broke off before its end. */
export interface FrontResult {
  readonly entries: readonly CheckEntry[]
  readonly facts: RunFacts | undefined
}

/** A way to run the planned checks. All fronts judge with the same functions; they differ in who calls them. */
export type Front = (
  settings: RunSettings,
  hooks: { readonly signal: AbortSignal; onProgress(progress: RunProgress): void },
) => Promise<FrontResult>
