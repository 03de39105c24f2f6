const IN_A_ROW = 3

/** Counts waits for a rate limit that were of no use, so that a key that stays limited does not cost a wait per check. */
export class Patience {
  #inARow = 0

  /** True once so many waits in a row were of no use: a 429 is then not waited out any more. */
  get isSpent(): boolean {
    return this.#inARow >= IN_A_ROW
  }

  /** A check waited as long as it may, and is limited still. */
  spend(): void {
    this.#inARow += 1
  }

  /** The key was answered: its limit had passed. */
  restore(): void {
    this.#inARow = 0
  }
}
