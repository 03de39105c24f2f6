import { expect, test } from 'vitest'
import { rememberDueTimes } from './service-queue.ts'
import type { StreamResponse } from './response.ts'

test('returns the due times of a stream in any order', () => {
  let last = 0
  const response: StreamResponse = {
    status: 200,
    headers: {},
    operation: 'chat',
    frameCount: 5,
    isBytewise: false,
    frame: String,
    getFrameDueMs: (index) => (last = Math.max(last, index)) * 10, // Like a token schedule, it cannot go back.
    usedTokensAfter: () => 0,
  }
  const { getFrameDueMs } = rememberDueTimes(response)
  expect([1, 4, 0, 2, 4].map(getFrameDueMs)).toEqual([10, 40, 0, 20, 40])
})
