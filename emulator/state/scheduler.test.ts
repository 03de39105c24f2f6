import fc from 'fast-check'
import { expect, test } from 'vitest'
import { virtualClock } from './clock.ts'
import { Scheduler } from './scheduler.ts'

test('every task runs once, at its time and in order, however they were handed in', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 300 }), (dues) => {
      const clock = virtualClock()
      const scheduler = new Scheduler(clock)
      const ran: { dueMs: number; atMs: number }[] = []
      for (const dueMs of dues) scheduler.at(dueMs, () => ran.push({ dueMs, atMs: clock.nowMs() }))
      clock.advance(1000)
      expect(ran.map(({ dueMs }) => dueMs)).toEqual(dues.toSorted((a, b) => a - b))
      expect(ran.filter(({ dueMs, atMs }) => atMs !== dueMs)).toEqual([])
    }),
  )
})

test('a task may hand in the next one, and one that comes late delays none after it', () => {
  const clock = virtualClock()
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

test('an earlier task that comes later is not held up by the one that waits', () => {
  const clock = virtualClock()
  const scheduler = new Scheduler(clock)
  const ran: string[] = []
  scheduler.at(100, () => ran.push('late'))
  scheduler.at(10, () => ran.push('early'))
  clock.advance(20)
  expect(ran).toEqual(['early'])
})

test('a task that was called off does not run, and others keep their times', () => {
  const clock = virtualClock()
  const scheduler = new Scheduler(clock)
  const ran: string[] = []
  const callOff = scheduler.at(10, () => ran.push('called off'))
  scheduler.at(20, () => ran.push('kept'))
  callOff()
  clock.advance(20)
  expect(ran).toEqual(['kept'])
})

/**
 * A scheduler whose clock stands at 100 and wakes nobody up until it is told to.
 * @param dueMs when the one task that it has is due
 */
function sleeper(dueMs: number) {
  const wakeUps: (() => void)[] = []
  const scheduler = new Scheduler({
    ...virtualClock(),
    nowMs: () => 100,
    at: (_dueMs, task) => (wakeUps.push(task), () => undefined),
  })
  const done: string[] = []
  scheduler.at(dueMs, () => done.push('task'))
  return { scheduler, done, wake: () => wakeUps.splice(0).forEach((task) => task()) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what can wait is done at once where nothing is late', () => {
  const { scheduler, done } = sleeper(101)
  scheduler.defer(() => done.push('waited'))
  expect(done).toEqual(['waited'])
})

test('what can wait is done after all that is late', async () => {
  const { scheduler, done, wake } = sleeper(99)
  scheduler.defer(() => done.push('waited'))
  for (let turns = 0; turns < 10; turns += 1) await turn()
  expect(done).toEqual([])
  wake()
  await turn()
  expect(done).toEqual(['task', 'waited'])
})

test('what can wait is done at once, and once, when somebody asks', async () => {
  const { scheduler, done, wake } = sleeper(99)
  scheduler.defer(() => done.push('waited'))
  scheduler.flushDeferred()
  expect(done).toEqual(['waited'])
  wake()
  await turn()
  expect(done).toEqual(['waited', 'task'])
})

test('what can wait does not wait for ever', async () => {
  const { scheduler, done } = sleeper(99)
  await new Promise<void>((resolve) => scheduler.defer(resolve))
  expect(done).toEqual([])
})
