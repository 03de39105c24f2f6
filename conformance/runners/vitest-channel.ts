import type { CheckEntry } from '../../reports/conformance-document.ts'

/** What the tests in vitest's thread are given. */
export interface VitestInput {
  /** Ids of the planned checks, which are the names of the tests. */
  readonly ids: readonly string[]
  /** Name of the channel between the two threads. */
  readonly channel: string
}

/** What a test reports of a check. */
export type CheckResult = Pick<CheckEntry, 'id' | 'verdict' | 'actual'>

/** From the run to the tests. `end`: no further results come. */
export type ResultMessage = { readonly kind: 'result'; readonly result: CheckResult } | { readonly kind: 'end' }

/** From the tests to the run: they listen now. */
export const READY = 'ready'

declare module 'vitest' {
  interface ProvidedContext {
    readonly touchstone: VitestInput
  }
}
