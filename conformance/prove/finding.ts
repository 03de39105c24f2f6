import type { CheckEntry } from '../../reports/conformance-document.ts'

/** What a check said of a target, as far as a proof looks at it. Plain data: it crosses threads. */
export interface Finding extends Pick<CheckEntry, 'id' | 'verdict' | 'actual'> {
  /** True when an exchange did not come to its end: whatever the check says of it, it saw no answer. */
  readonly hasBrokenOff: boolean
}

/** Takes out of a check's entry what a proof looks at. */
export function findingOf({ id, verdict, actual, evidence = [] }: CheckEntry): Finding {
  return { id, verdict, actual, hasBrokenOff: evidence.some(({ error }) => error !== undefined) }
}
