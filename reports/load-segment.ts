/** Position of a segment of a run, from 0. */
export interface LoadSegment {
  readonly index: number
  readonly count: number
  /**
   * Bounds of the target's clock minus the clock of the load generator, from the `Date` headers of the responses. Absent
   * if the responses have no such header.
   */
  readonly targetClock?: { readonly lowMs: number; readonly highMs: number }
}
