import type { CheckEntry } from '../../reports/conformance-document.ts'

/** Data for the tests in vitest's thread. */
export interface VitestInput {
  /** Ids of the planned checks, which are the names of the tests. */
  readonly ids: readonly string[]
  /** Name of the channel between the two threads. */
  readonly channel: string
}

/** Result of a check for its test. */
export type CheckResult = Pick<CheckEntry, 'id' | 'verdict' | 'actual'>

/** Message from the run to the tests. `end`: no further results follow. */
export type ResultMessage = { readonly kind: 'result'; readonly result: CheckResult } | { readonly kind: 'end' }

/** Message from the tests to the run: they are listening. */
export const READY = 'ready'

declare module 'vitest' {
  interface ProvidedContext {
    readonly touchstone: VitestInput
  }
}
