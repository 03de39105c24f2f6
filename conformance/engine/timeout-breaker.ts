import { type Operation, OPERATIONS } from '../../contract/facts.ts'

const IN_A_ROW = 2

/** Counts time-outs in a row on each operation, so that a target that hangs does not cost a deadline per check. */
export class TimeoutGuard {
  readonly #inARow = new Map<Operation, number>()
  readonly #timeoutMs: number

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Takes note of a request on an operation; once two in a row timed out, that operation stays given up. */
  note(operation: Operation, hasTimedOut: boolean): void {
    if (this.refusal(operation) === undefined) {
      this.#inARow.set(operation, hasTimedOut ? (this.#inARow.get(operation) ?? 0) + 1 : 0)
    }
  }

  /** Why nothing more is sent to an operation; undefined while it answers. */
  refusal(operation: Operation): string | undefined {
    if ((this.#inARow.get(operation) ?? 0) < IN_A_ROW) {
      return undefined
    }
    const { method, path } = OPERATIONS[operation]
    return `${method} ${path} gave no answer within ${this.#timeoutMs / 1000} s twice in a row: give it longer with --timeout-ms.`
  }
}
