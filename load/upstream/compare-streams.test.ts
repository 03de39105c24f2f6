import { expect, test } from 'vitest'
import { compareResponse } from './compare-streams.ts'

function compare(writtenMs: readonly number[], { tokens = [1, 2, 3, 4, 5], isTextChanged = false } = {}) {
  const line = {
    operation: 'chat-stream',
    requestId: 'req-1',
    atMs: writtenMs,
    tokens,
    firstText: 0,
    e2eMs: 200,
    isComplete: true,
    status: 200,
  } as const
  const { batching, isSentAtOnce } = compareResponse(line, { writtenMs }, isTextChanged)
  return { batching, isSentAtOnce }
}

test('finds streams that the upstream sent at once, whose batching cannot be detected', () => {
  const atOnce = { batching: null, isSentAtOnce: true }
  const instantMs = [100, 100, 100, 100, 100, 100, 100, 100, 100]
  expect(compare(instantMs)).toEqual(atOnce)
  expect(compare(instantMs, { tokens: [1, 2] })).toEqual(atOnce) // the gateway merged the tokens
  expect(compare(instantMs, { isTextChanged: true }).isSentAtOnce).toBe(false)
  expect(compare([100, 100, 120, 140, 160, 180, 180, 180, 180])).toEqual({ batching: 'none', isSentAtOnce: false })
  // Batching cannot be detected in a stream of two tokens, even with a delay between them.
  expect(compare([100, 100, 100, 100, 100], { tokens: [1, 2] }).isSentAtOnce).toBe(false)
})
