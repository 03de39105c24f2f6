import { isSummaryCheck } from './check.ts'
import type { PlannedCheck } from './planned-check.ts'

/** A lock that several shared holders or one exclusive holder can acquire. */
export class ReadWriteLock {
  #running = 0
  #isAlone = false
  readonly #waitingToShare: (() => void)[] = []
  readonly #waitingAlone: (() => void)[] = []

  /**
   * Calls `work` in parallel with other shared holders. Waits while an exclusive holder has the lock or waits for it.
   */
  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isAlone || this.#waitingAlone.length > 0) {
      await new Promise<void>((resolve) => this.#waitingToShare.push(resolve))
    } else {
      this.#running += 1
    }
    try {
      return await work()
    } finally {
      this.#running -= 1
      this.#next()
    }
  }

  /** Calls `work` after all current holders have released the lock. Later callers wait until `work` ends. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isAlone || this.#running > 0) {
      await new Promise<void>((resolve) => this.#waitingAlone.push(resolve))
    } else {
      this.#isAlone = true
    }
    try {
      return await work()
    } finally {
      this.#isAlone = false
      this.#next()
    }
  }

  /**
   * Passes the lock to the next waiters. Marks the lock as held before waking them, so that no other caller can acquire
   * the lock in between.
   */
  #next(): void {
    if (this.#isAlone) return
    if (this.#waitingAlone.length > 0) {
      if (this.#running > 0) return
      this.#isAlone = true
      this.#waitingAlone.shift()?.()
      return
    }
    for (const wake of this.#waitingToShare.splice(0)) {
      this.#running += 1
      wake()
    }
  }
}

/** Calls `work` while no other check sends requests. */
export type RunAlone = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Runs checks in this order:
 * - Checks with `first` start first, and run in parallel with the ordinary checks.
 * - Ordinary checks run `concurrency` at a time. Checks with `inTurn` run one after another in parallel with them.
 * - Checks with `alone` run one after another.
 * - Summary checks evaluate all responses.
 * - Checks of the group `agents` run last, so that they affect no other check.
 * @param run runs one check; it must not throw
 */
export async function runScheduled(
  planned: readonly PlannedCheck[],
  concurrency: number,
  run: (planned: PlannedCheck, alone: RunAlone) => Promise<void>,
): Promise<void> {
  const turns = new ReadWriteLock()
  const runAlone: RunAlone = (work) => turns.alone(work)
  const first = planned.filter(({ check }) => check.first === true)
  const summaries = planned.filter(({ check }) => isSummaryCheck(check))
  const last = planned.filter(({ check }) => check.alone === true && !isSummaryCheck(check))
  const agents = planned.filter(({ check }) => check.group === 'agents')
  const others = planned.filter(
    ({ check }) => check.first !== true && check.alone !== true && check.group !== 'agents' && !isSummaryCheck(check),
  )
  const inTurn = others.filter(({ check }) => check.inTurn === true)
  const ordinary = others.filter(({ check }) => check.inTurn !== true)
  const runShared = (one: PlannedCheck): Promise<void> => turns.shared(() => run(one, notAllowed))
  const queue = [
    ...first.map((one) => () => run(one, runAlone)),
    async () => {
      for (const one of inTurn) await runShared(one)
    },
    ...longestFirst(ordinary).map((one) => () => runShared(one)),
  ]
  const runNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next()
  }
  await Promise.all(Array.from({ length: concurrency }, runNext))
  for (const one of [...last, ...summaries]) {
    await run(one, (work) => work())
  }
  const agentQueue = [...agents]
  const runNextAgent = async (): Promise<void> => {
    for (let next = agentQueue.shift(); next !== undefined; next = agentQueue.shift()) await run(next, notAllowed)
  }
  await Promise.all(Array.from({ length: concurrency }, runNextAgent))
}

/**
 * Sorts checks by their number of requests, largest first. If a long check started last, it would delay the end of the
 * run.
 */
function longestFirst(planned: readonly PlannedCheck[]): readonly PlannedCheck[] {
  return planned.toSorted((a, b) => b.check.cost.requests - a.check.cost.requests)
}

/** Throws, because an ordinary check that waits for all other checks to end would also wait for itself. */
const notAllowed: RunAlone = () => {
  throw new Error('Only a check that is declared `first` or `alone` can run alone.')
}
