import { isSummaryCheck, type PlannedCheck } from './check.ts'
import { ReadWriteLock } from '../traffic/read-write-lock.ts'

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
  for (const one of [...last, ...summaries]) await run(one, (work) => work())
  queue.push(...agents.map((one) => () => run(one, notAllowed)))
  await Promise.all(Array.from({ length: concurrency }, runNext))
}

/** Sorts checks by their number of requests, so that no long check starts last. */
function longestFirst(planned: readonly PlannedCheck[]): readonly PlannedCheck[] {
  return planned.toSorted((a, b) => b.check.cost.requests - a.check.cost.requests)
}

/** Throws, because an ordinary check that waits for all other checks to end would also wait for itself. */
const notAllowed: RunAlone = () => {
  throw new Error('Only a check that is declared `first` or `alone` can run alone.')
}
