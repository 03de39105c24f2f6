import type { CheckEntry } from '../../reports/conformance-document.ts'
import { openRun } from '../harness/run/open-run.ts'
import type { PlannedCheck } from '../harness/run/plan.ts'
import type { Suite } from '../harness/run/settings.ts'
import type { Front } from './front.ts'

/** The front that needs nothing but Node: `concurrency` checks at a time, then those that run alone, one by one. */
export function directFront(suite: Suite): Front {
  return async (settings, { signal, onProgress }) => {
    const run = await openRun(settings, suite, signal)
    const { planned } = run.plan
    const entries: CheckEntry[] = []
    const judgeNext = async (queue: PlannedCheck[]): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        entries.push(await run.judge(next))
        onProgress({ done: entries.length, total: planned.length })
      }
    }
    const together = planned.filter(({ check }) => check.alone === undefined)
    const alone = planned.filter(({ check }) => check.alone === true)
    await Promise.all(Array.from({ length: settings.concurrency }, () => judgeNext(together)))
    await judgeNext(alone)
    return { entries, facts: await run.finish() }
  }
}
