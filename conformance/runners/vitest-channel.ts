import type { CheckEntry } from '../../reports/conformance-document.ts'

/** Data that the vitest thread receives. */
export interface VitestInput {
  /** IDs of the planned checks, which are the titles of the tests. */
  readonly ids: readonly string[]
  /** Name of the BroadcastChannel between the two threads. */
  readonly channel: string
}

/** Result of a check, as its test receives it. */
export type TestResult = Pick<CheckEntry, 'id' | 'verdict' | 'actual'>

/** Message from the engine to the tests. `end` means that no further results follow. */
export type ResultMessage = { readonly kind: 'result'; readonly result: TestResult } | { readonly kind: 'end' }

/** Message from the tests to the engine. It means that the tests are ready to receive results. */
export const READY_MESSAGE = 'ready'

declare module 'vitest' {
  interface ProvidedContext {
    readonly touchstone: VitestInput
  }
}
