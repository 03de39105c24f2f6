import type { PlannedCheck } from './plan.ts'

/** Lets many run side by side, or one alone. */
export class Turns {
  #running = 0
  #isAlone = false
  readonly #waitingToShare: (() => void)[] = []
  readonly #waitingAlone: (() => void)[] = []

  /** Calls `work` beside others, but not while one runs alone or waits to. */
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

  /** Calls `work` once all others have ended; the next ones start after it. */
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

  /** Whoever is woken has its turn already, so that no other takes it in between. */
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

/** Runs work while no other check sends. */
export type RunAlone = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Runs checks in three groups: those that start `first` and then share the time of the others, the ordinary ones
 * `concurrency` at a time, and last those that run `alone`, one by one.
 * @param run runs one check; it does not throw
 */
export async function runScheduled(
  planned: readonly PlannedCheck[],
  concurrency: number,
  run: (planned: PlannedCheck, alone: RunAlone) => Promise<void>,
): Promise<void> {
  const turns = new Turns()
  const runAlone: RunAlone = (work) => turns.alone(work)
  const first = planned.filter(({ check }) => check.first === true)
  const last = planned.filter(({ check }) => check.alone === true)
  const ordinary = planned.filter(({ check }) => check.first !== true && check.alone !== true)
  const queue = [
    ...first.map((one) => () => run(one, runAlone)),
    ...ordinary.map((one) => () => turns.shared(() => run(one, notAllowed))),
  ]
  const runNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next()
  }
  await Promise.all(Array.from({ length: concurrency }, runNext))
  for (const one of last) {
    await run(one, (work) => work())
  }
}

/** An ordinary check that waited for the others to end would wait for itself. */
const notAllowed: RunAlone = () => {
  throw new Error('Only a check that is declared `first` or `alone` can run alone.')
}
