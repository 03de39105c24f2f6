import type { PlannedCheck } from './plan.ts'

/** The planned checks by when they run, one phase after the other. */
export interface Phases {
  /** Runs before all others, and alone. */
  readonly first?: Opening
  /** Several at a time, beside the wait where there is one. */
  readonly together: readonly PlannedCheck[]
  /** One by one. The one that waited is among them: it has to be made alone unless it passed. */
  readonly alone: readonly PlannedCheck[]
}

/** A check whose wait others use, and the one that shows first that they can. */
export interface Opening {
  readonly guard: PlannedCheck
  readonly waiting: PlannedCheck
}

/** Divides a run into phases. */
export function phasesOf(planned: readonly PlannedCheck[]): Phases {
  const alone = planned.filter(({ check }) => check.alone === true)
  const together = planned.filter(({ check }) => check.alone !== true)
  const first = openingOf(alone)
  return first === undefined
    ? { together, alone }
    : { first, together, alone: alone.filter((one) => one !== first.guard) }
}

function openingOf(alone: readonly PlannedCheck[]): Opening | undefined {
  const waiting = alone.find(({ check }) => check.beside !== undefined)
  const guard = alone.find(({ check }) => check.id === waiting?.check.beside?.after)
  return waiting === undefined || guard === undefined ? undefined : { guard, waiting }
}
