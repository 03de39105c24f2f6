import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startDeadline } from './deadline.ts'

test('does not call back if it is canceled between its timer and its callback', async () => {
  let called = 0
  const cancel = startDeadline(1, () => {
    called += 1
  })
  // Both timers expire during the busy loop. Node then runs them, in their order, before any immediate.
  setTimeout(cancel, 2)
  const endMs = performance.now() + 20
  while (performance.now() < endMs);
  await sleep(20)
  expect(called).toBe(0)
})

test('calls back when the deadline is reached', async () => {
  const late = Promise.withResolvers<string>()
  startDeadline(1, () => late.resolve('called'))
  expect(await late.promise).toBe('called')
})
