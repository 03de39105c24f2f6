import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { RunFacts } from '../engine/open-run.ts'
import type { RunSettings } from '../engine/settings.ts'

/** What the suite in vitest's thread is given. It travels in memory: never in the environment or on a command line. */
export interface SuiteInput {
  readonly settings: RunSettings
  /** Name of the channel between the two threads. */
  readonly channel: string
}

/** From the suite to the front. */
export type SuiteMessage =
  | { readonly kind: 'begin' }
  | { readonly kind: 'entry'; readonly entry: CheckEntry; readonly total: number }
  | { readonly kind: 'end'; readonly facts: RunFacts }

/** From the front to the suite: the person wants the run to end. */
export const INTERRUPT = 'interrupt'

/** From the front to the suite: the time for the run is used up. */
export const OUT_OF_TIME = 'out-of-time'

declare module 'vitest' {
  interface ProvidedContext {
    readonly touchstone: SuiteInput
  }
}
