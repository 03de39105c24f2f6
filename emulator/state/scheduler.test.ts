import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVirtualClock } from './clock.ts'
import { Scheduler } from './scheduler.ts'

test('runs every task once, at its due time and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 300 }), (dues) => {
      const clock = createVirtualClock()
      const scheduler = new Scheduler(clock)
      const ran: { dueMs: number; atMs: number }[] = []
      for (const dueMs of dues) scheduler.at(dueMs, () => ran.push({ dueMs, atMs: clock.nowMs() }))
      clock.advance(1000)
      expect(ran.map(({ dueMs }) => dueMs)).toEqual(dues.toSorted((a, b) => a - b))
      expect(ran.filter(({ dueMs, atMs }) => atMs !== dueMs)).toEqual([])
    }),
  )
})

test('runs tasks added by a task, and does not delay tasks after a late one', () => {
  const clock = createVirtualClock()
  const scheduler = new Scheduler(clock)
  const ranAtMs: number[] = []
  const step = (dueMs: number) => {
    ranAtMs.push(clock.nowMs())
    if (dueMs < 50) scheduler.at(dueMs + 10, () => step(dueMs + 10))
  }
  scheduler.at(10, () => step(10))
  clock.advance(100)
  expect(ranAtMs).toEqual([10, 20, 30, 40, 50])
})

test('runs an earlier task that is added later on time', () => {
  const clock = createVirtualClock()
  const scheduler = new Scheduler(clock)
  const ran: string[] = []
  scheduler.at(100, () => ran.push('late'))
  scheduler.at(10, () => ran.push('early'))
  clock.advance(20)
  expect(ran).toEqual(['early'])
})

test('skips a cancelled task without affecting others', () => {
  const clock = createVirtualClock()
  const scheduler = new Scheduler(clock)
  const ran: string[] = []
  const cancel = scheduler.at(10, () => ran.push('canceled'))
  scheduler.at(20, () => ran.push('kept'))
  cancel()
  clock.advance(20)
  expect(ran).toEqual(['kept'])
})

/**
 * Creates a scheduler with one task, and a clock that starts at 100 ms and moves only manually.
 * @param dueMs due time of the task
 */
function createScheduler(dueMs: number) {
  const wakeUps: (() => void)[] = []
  const scheduler = new Scheduler({
    ...createVirtualClock(),
    nowMs: () => 100,
    at: (_dueMs, task) => (wakeUps.push(task), () => undefined),
  })
  const done: string[] = []
  scheduler.at(dueMs, () => done.push('task'))
  return { scheduler, done, wake: () => wakeUps.splice(0).forEach((task) => task()) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('runs a deferred task immediately if no task is overdue', () => {
  const { scheduler, done } = createScheduler(101)
  scheduler.defer(() => done.push('waited'))
  expect(done).toEqual(['waited'])
})

test('runs deferred tasks after all overdue ones', async () => {
  const { scheduler, done, wake } = createScheduler(99)
  scheduler.defer(() => done.push('waited'))
  for (let turns = 0; turns < 10; turns += 1) await turn()
  expect(done).toEqual([])
  wake()
  await turn()
  expect(done).toEqual(['task', 'waited'])
})

test('runs deferred tasks once when they are flushed', async () => {
  const { scheduler, done, wake } = createScheduler(99)
  scheduler.defer(() => done.push('waited'))
  scheduler.flushDeferred()
  expect(done).toEqual(['waited'])
  wake()
  await turn()
  expect(done).toEqual(['waited', 'task'])
})

test('runs deferred tasks eventually even if others are always overdue', async () => {
  const { scheduler, done } = createScheduler(99)
  await new Promise<void>((resolve) => scheduler.defer(resolve))
  expect(done).toEqual([])
})
