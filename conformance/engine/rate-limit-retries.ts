import type { Operation } from '../../contract/facts.ts'

const IN_A_ROW = 3

/**
 * Counts on each operation the waits for a rate limit that were of no use, so that a key that stays limited does not cost a
 * wait per check. Work before the checks has no operation, and counts for itself.
 */
export class Patience {
  readonly #inARow = new Map<Operation | undefined, number>()

  /** True once so many waits in a row were of no use: a 429 is then not waited out any more. */
  isSpent(operation: Operation | undefined): boolean {
    return (this.#inARow.get(operation) ?? 0) >= IN_A_ROW
  }

  /** A check waited as long as it may, and is limited still. */
  spend(operation: Operation | undefined): void {
    this.#inARow.set(operation, (this.#inARow.get(operation) ?? 0) + 1)
  }

  /** The key was served: its limit had passed. */
  restore(operation: Operation | undefined): void {
    this.#inARow.set(operation, 0)
  }
}
