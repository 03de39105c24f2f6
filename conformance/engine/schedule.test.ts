import { expect, test } from 'vitest'
import { createCheck, createRequirement } from '../testing/small-suite.ts'
import type { PlannedCheck } from './check.ts'
import { ReadWriteLock } from '../traffic/read-write-lock.ts'
import { type RunAlone, runScheduled } from './schedule.ts'

/** Waits for one turn of the event loop, in which all code that awaits a settled promise continues. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function planOf(kinds: Readonly<Record<string, 'first' | 'alone' | 'ordinary'>>): PlannedCheck[] {
  return Object.entries(kinds).map(([id, kind]) => ({
    check: createCheck(id, kind === 'ordinary' ? {} : { [kind]: true }),
    requirement: createRequirement(id),
  }))
}

/** Runs a schedule and returns a log of its checks: `id+` when a check starts, `id-` when it ends. */
async function logOf(
  planned: readonly PlannedCheck[],
  concurrency: number,
  runs: Readonly<Record<string, (alone: RunAlone, log: string[]) => Promise<void>>> = {},
): Promise<readonly string[]> {
  const log: string[] = []
  await runScheduled(planned, concurrency, async ({ check: { id } }, alone) => {
    log.push(`${id}+`)
    await (runs[id] ?? turn)(alone, log)
    log.push(`${id}-`)
  })
  return log
}

test('runs up to `concurrency` checks in parallel, then those with `alone` one by one', async () => {
  const planned = planOf({ a: 'alone', b: 'ordinary', c: 'ordinary', d: 'ordinary', e: 'alone' })
  expect(await logOf(planned, 2)).toEqual(['b+', 'c+', 'b-', 'd+', 'c-', 'd-', 'a+', 'a-', 'e+', 'e-'])
})

test('starts checks with `first` before all others, and runs the others while the first checks wait', async () => {
  const planned = planOf({ b: 'ordinary', c: 'ordinary', wait: 'first' })
  const wait = async (alone: RunAlone, log: string[]): Promise<void> => {
    await alone(async () => {
      log.push('burst+')
      await turn()
      log.push('burst-')
    })
    for (let index = 0; index < 5; index += 1) await turn()
  }
  expect(await logOf(planned, 8, { wait })).toEqual(['wait+', 'burst+', 'burst-', 'b+', 'c+', 'b-', 'c-', 'wait-'])
})

test('waits for running checks before a check runs alone, and starts no other check until it ends', async () => {
  const planned = planOf({ wait: 'first', b: 'ordinary', c: 'ordinary', d: 'ordinary' })
  const wait = async (alone: RunAlone, log: string[]): Promise<void> => {
    await alone(turn)
    await alone(async () => {
      log.push('burst+')
      await turn()
      log.push('burst-')
    })
  }
  const log = await logOf(planned, 3, { wait })
  const running = new Set<string>()
  for (const entry of log) {
    if (entry === 'burst+') expect([...running]).toEqual(['wait'])
    if (entry.endsWith('+') && !entry.startsWith('burst')) running.add(entry.slice(0, -1))
    if (entry.endsWith('-')) running.delete(entry.slice(0, -1))
  }
  expect(log).toContain('d-')
  expect(log.slice(log.indexOf('burst+'), log.indexOf('burst-') + 1)).toEqual(['burst+', 'burst-'])
})

test('runs one check at a time with concurrency 1, even while a check with `first` waits', async () => {
  const planned = planOf({ b: 'ordinary', wait: 'first', c: 'ordinary' })
  expect(await logOf(planned, 1)).toEqual(['wait+', 'wait-', 'b+', 'b-', 'c+', 'c-'])
})

test('throws if an ordinary check calls `alone`, because the check would wait for itself', async () => {
  const planned = planOf({ b: 'ordinary' })
  const requested = async (alone: RunAlone): Promise<void> => alone(turn)
  await expect(logOf(planned, 1, { b: requested })).rejects.toThrow('declared `first` or `alone`')
})

test('allows a check with `alone` to call `alone`', async () => {
  expect(await logOf(planOf({ a: 'alone' }), 1, { a: (alone) => alone(turn) })).toEqual(['a+', 'a-'])
})

test('releases the lock after work that throws', async () => {
  const turns = new ReadWriteLock()
  const fails = (): Promise<void> => Promise.reject(new Error('oops'))
  const results = await Promise.allSettled([
    turns.shared(fails),
    turns.alone(fails),
    turns.alone(turn),
    turns.shared(turn),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
})
