import { expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'

// Nightly, because the time limit only ends a run that waits too long.
test('a run does not slow down if the target always responds to images with 429', async () => {
  await using emulator = await startEmulator({ faults: [{ operation: 'images', status: 429, retryAfterSeconds: 0 }] })
  const { funded, noCredits } = emulator.keys
  const { document } = await runConformance({
    url: emulator.url,
    keys: { funded, noCredits },
    maxSeconds: 200,
  })
  const codes = new Set(document.checks.map(({ code }) => code))
  expect(codes.has('rate-limited')).toBe(true)
  expect(codes.has('time-limit-reached')).toBe(false)
})
