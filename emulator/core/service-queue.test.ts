import { expect, test } from 'vitest'
import { createVirtualClock } from '../state/clock.ts'
import { Slots } from '../state/slots.ts'
import { rememberDueTimes, sendInTurn } from './service-queue.ts'
import type { StreamResponse } from './response.ts'

test('returns the due times of a stream in any order', () => {
  let last = 0
  const response: StreamResponse = {
    status: 200,
    headers: {},
    operation: 'chat',
    frameCount: 5,
    contentStart: 0,
    contentEnd: 5,
    bytesPerWrite: 'event',
    frame: String,
    getFrameDueMs: (index) => (last = Math.max(last, index)) * 10, // Like a token schedule, it cannot go back.
    usedTokensAfter: () => 0,
    reasoningTokensAfter: () => 0,
  }
  const { getFrameDueMs } = rememberDueTimes(response)
  expect([1, 4, 0, 2, 4].map(getFrameDueMs)).toEqual([10, 40, 0, 20, 40])
})

test.each(['before it waits', 'while it waits'])(
  'sends nothing to a client that disconnected %s, even if the connection has not reported it',
  async (when) => {
    const slots = new Slots(createVirtualClock(), 1)
    const busy = slots.enter(0)
    const slot = slots.enter(0)
    let isClosed = when === 'before it waits'
    const sent = sendInTurn(slot, { isClosed: () => isClosed, onClose: () => undefined }, () => 'sent')
    isClosed = true
    busy.release()
    expect(await sent).toBe(undefined)
    expect({ busy: slots.busy, waiting: slots.waiting }).toEqual({ busy: 0, waiting: 0 })
  },
)
