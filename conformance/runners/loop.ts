import type { CheckEntry } from '../../reports/conformance-document.ts'
import { type Begun, NOT_BEGUN, openRun } from '../engine/open-run.ts'
import { type Opening, phasesOf } from '../engine/schedule.ts'
import type { Suite } from '../engine/settings.ts'
import type { Front } from './runner.ts'

/** The front that needs nothing but Node: `concurrency` checks at a time, then those that run alone, one by one. */
export function directFront(suite: Suite): Front {
  return async (settings, { signal, onProgress }) => {
    const run = await openRun(settings, suite, signal)
    const { planned } = run.plan
    const { first, together, alone } = phasesOf(planned)
    const entries: CheckEntry[] = []
    const add = (entry: CheckEntry): CheckEntry => {
      entries.push(entry)
      onProgress({ done: entries.length, total: planned.length })
      return entry
    }
    const begin = async ({ guard, waiting }: Opening): Promise<Begun> => {
      const { verdict } = add(await run.judge(guard))
      return verdict === 'pass' ? run.begin(waiting) : NOT_BEGUN
    }
    const begun = first === undefined ? NOT_BEGUN : await begin(first)
    const waited = async (): Promise<void> => {
      const entry = await begun.entry
      if (entry !== undefined) add(entry)
    }
    const queue = [waited, ...together.map((one) => async () => void add(await run.judge(one)))]
    const runNext = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next()
    }
    await Promise.all(Array.from({ length: settings.concurrency }, runNext))
    const hasPassed = (await begun.entry) !== undefined
    for (const one of alone) {
      if (one !== first?.waiting || !hasPassed) add(await run.judge(one))
    }
    return { entries, facts: await run.finish() }
  }
}
