import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createRealClock, createVirtualClock } from './clock.ts'

test('runs the tasks of a virtual clock in the order of their times, each at its own time', () => {
  const clock = createVirtualClock(1000)
  const seen: string[] = []
  clock.at(20, () => seen.push(`second at ${clock.nowMs()}`))
  clock.at(10, () => {
    seen.push(`first at ${clock.nowMs()}`)
    clock.at(15, () => seen.push(`added at ${clock.nowMs()}`))
  })
  clock.at(31, () => seen.push('too late'))
  clock.advance(30)
  expect(seen).toEqual(['first at 10', 'added at 15', 'second at 20'])
  expect([clock.nowMs(), clock.unixSeconds(), clock.unixMs()]).toEqual([30, 1000, 1_000_030])
})

test('throws an error instead of running a task that adds itself for the same time without end', () => {
  const clock = createVirtualClock()
  const repeat = () => void clock.at(5, repeat)
  repeat()
  expect(() => clock.advance(10)).toThrow('The virtual clock has stopped at 5 ms')
})

test('lets the event loop run during a long advance, and adds up concurrent advances', async () => {
  const clock = createVirtualClock()
  const ran: number[] = []
  const runEveryMs = (dueMs: number) =>
    void clock.at(dueMs, () => {
      const startMs = performance.now()
      while (performance.now() - startMs <= 10); // An advance blocks the event loop for at most 10 ms.
      ran.push(dueMs)
      runEveryMs(dueMs + 1)
    })
  runEveryMs(1)
  const advances = [clock.advanceInTurns(6), clock.advanceInTurns(4)]
  expect(ran).toEqual([1, 2])
  await Promise.all(advances)
  expect([clock.nowMs(), ran.length]).toEqual([10, 10])
})

test.each([-1, Number.NaN, Infinity, 8.64e15])('rejects an advance by %d ms', (ms) => {
  const clock = createVirtualClock()
  expect(() => clock.advance(ms)).toThrow(RangeError)
  expect(clock.nowMs()).toBe(0)
})

test('does not run a cancelled task', () => {
  const clock = createVirtualClock()
  const cancel = clock.at(1, () => expect.fail('it ran'))
  cancel()
  clock.advance(2)
})

test('runs due tasks of a started virtual clock, and none after it is frozen', async () => {
  const clock = createVirtualClock()
  clock.advance(1000)
  clock.run()
  const ranAtMs = await new Promise<number>((resolve) => clock.at(1005, () => resolve(clock.nowMs())))
  expect(ranAtMs).toBeGreaterThanOrEqual(1005)
  clock.freeze()
  const frozenAtMs = clock.nowMs()
  clock.at(frozenAtMs + 1, () => expect.fail('it ran'))
  await sleep(10)
  expect(clock.nowMs()).toBe(frozenAtMs)
})

test('advances a started virtual clock', async () => {
  const clock = createVirtualClock()
  clock.run()
  let ran = false
  clock.at(3_600_000, () => (ran = true))
  clock.advance(3_600_000)
  expect(ran).toBe(true)
  expect(clock.isRunning()).toBe(true)
  clock.freeze()
})

test('waits for times beyond the range of Node timers', async () => {
  const clock = createRealClock()
  let hasRun = false
  const cancel = clock.at(clock.nowMs() + 2 ** 40, () => (hasRun = true))
  await sleep(20) // Waits, because Node would fire a timer with a delay above the maximum after 1 ms.
  cancel()
  expect(hasRun).toBe(false)
})

test('runs tasks of the real clock neither early nor synchronously', async () => {
  const clock = createRealClock()
  for (const waitMs of [-1, 0, 0.3, 1.5, 3.9]) {
    const dueMs = clock.nowMs() + waitMs
    let hasAskedOn = false
    const ran = new Promise<{ atMs: number; hasAskedOn: boolean }>((resolve) => {
      clock.at(dueMs, () => resolve({ atMs: clock.nowMs(), hasAskedOn }))
    })
    hasAskedOn = true
    const { atMs, ...requested } = await ran
    expect(atMs).toBeGreaterThanOrEqual(dueMs)
    expect(requested).toEqual({ hasAskedOn: true })
  }
})

test.each([-1, 0.5])('cancels a task of the real clock that is due in %d ms', async (waitMs) => {
  const clock = createRealClock()
  let hasRun = false
  const cancel = clock.at(clock.nowMs() + waitMs, () => (hasRun = true))
  cancel()
  await sleep(5)
  expect(hasRun).toBe(false)
})

test('assigns the same arrival time to requests read in one turn of the event loop', async () => {
  const clock = createRealClock()
  const firstMs = clock.arrivedMs()
  while (clock.nowMs() < firstMs + 2);
  expect(clock.arrivedMs()).toBe(firstMs)
  await new Promise((resolve) => setImmediate(resolve))
  expect(clock.arrivedMs()).toBeGreaterThanOrEqual(firstMs + 2)
})

test('assigns a later arrival time to requests read after the virtual clock advances', () => {
  const clock = createVirtualClock()
  const before = clock.arrivedMs()
  clock.advance(5)
  expect([before, clock.arrivedMs()]).toEqual([0, 5])
})

test('never runs a task synchronously, even if its time comes while it is scheduled', async () => {
  const now = vi.spyOn(performance, 'now')
  now.mockReturnValueOnce(0.9).mockReturnValueOnce(1.1)
  const task = vi.fn<() => void>()
  createRealClock().at(1, task)
  expect(task).not.toHaveBeenCalled()
  now.mockRestore()
  await vi.waitFor(() => expect(task).toHaveBeenCalledOnce())
})
