import { expect, test } from 'vitest'
import { createFaultHandler } from './faulty-proxy.ts'
import { runWithInvalidKeyHandler } from './run-with-invalid-keys.ts'

// Nightly, because the suite sends requests with invalid keys for a minute before it stops.
test('only checks of invalid keys are not testable if the target responds to all invalid keys with 429', async () => {
  const run = await runWithInvalidKeyHandler((_request, { isInvalid }) =>
    isInvalid ? createFaultHandler(429) : undefined,
  )
  expect(run).toMatchObject({ exitCode: 3, remarks: [], failed: [] })
  // The emulator sends streams too quickly to measure the arrival of their events.
  const untested = run.untested.filter(({ id }) => id !== '4.2/stream-progress')
  expect(untested.length).toBeGreaterThan(50)
  expect(new Set(untested.map(({ code }) => code))).toEqual(new Set(['invalid-keys-rate-limited']))
})
