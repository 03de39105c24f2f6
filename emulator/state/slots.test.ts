import { expect, test } from 'vitest'
import { createVirtualClock } from './clock.ts'
import { Slots, type RequestSlot } from './slots.ts'

function fill(slots: Slots, requests: number): RequestSlot[] {
  return Array.from({ length: requests }, () => slots.enter(0))
}

test('serves waiting requests in the order of their arrival', () => {
  const slots = new Slots(createVirtualClock(), 2)
  const started: number[] = []
  const all = fill(slots, 5)
  for (const [index, slot] of all.entries()) slot.onStart(() => void started.push(index))
  expect(all.map((slot) => slot.isWaiting())).toEqual([false, false, true, true, true])
  all[3]?.release() // Leaves the queue.
  for (const index of [1, 0, 2]) all[index]?.release()
  expect(started).toEqual([2, 4])
  expect({ busy: slots.busy, waiting: slots.waiting }).toEqual({ busy: 1, waiting: 0 })
})

test('gives a slot back once, even if it is released again', () => {
  const slots = new Slots(createVirtualClock(), 1)
  const [first, second, third] = fill(slots, 3)
  for (let call = 0; call < 3; call += 1) first?.release()
  expect([second?.isWaiting(), third?.isWaiting()]).toEqual([false, true])
  expect({ busy: slots.busy, waiting: slots.waiting }).toEqual({ busy: 1, waiting: 1 })
})

test('serves a long queue of requests that end at their start', () => {
  const slots = new Slots(createVirtualClock(), 1)
  const [first, ...others] = fill(slots, 100_000)
  for (const slot of others) slot.onStart(() => slot.release())
  first?.release()
  expect({ busy: slots.busy, waiting: slots.waiting }).toEqual({ busy: 0, waiting: 0 })
})

test('measures the time in the queue of served requests, and of requests that leave it', () => {
  const clock = createVirtualClock()
  const slots = new Slots(clock, 1)
  const [first, second, third] = fill(slots, 3)
  clock.advance(20)
  third?.release()
  clock.advance(10)
  first?.release()
  clock.advance(5)
  second?.release()
  expect([first, second, third].map((slot) => slot?.queuedMs)).toEqual([0, 30, 20])
  expect(slots.estimateWaitMs()).toBe((30 + 5) / 2)
})

test('is full if all slots are busy and the queue has its maximum length', () => {
  const slots = new Slots(createVirtualClock(), 1, 1)
  const states = [0, 1, 2].map(() => {
    const isFull = slots.isFull()
    slots.enter(0)
    return isFull
  })
  expect(states).toEqual([false, false, true])
})

test('starts no waiting request after it has stopped', () => {
  const slots = new Slots(createVirtualClock(), 1)
  const [first, second] = fill(slots, 2)
  slots.stop()
  first?.release()
  expect(second?.isWaiting()).toBe(true)
})
