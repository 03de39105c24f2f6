import { expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { startFaultyProxy } from './faulty-proxy.ts'

// Nightly, because both timeouts of the first chat request are 60 s.
test('reports a chat that never responds as one cause, and tests the other operations', async () => {
  await using emulator = await startEmulator()
  await using proxy = await startFaultyProxy(emulator.url, (_position, { url }) =>
    url === '/v1/chat/completions' ? () => undefined : undefined,
  )
  const { document, exitCode } = await runConformance({ url: proxy.url, keys: { funded: emulator.keys.funded } })
  const entryOf = (id: string): CheckEntry | undefined => document.checks.find((check) => check.id === id)
  const failed = document.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  expect(exitCode).toBe(1)
  expect(failed).toEqual(['7/breakdown-chat'])
  expect(document.causes[0]?.title).toBe('Requests to `POST /v1/chat/completions` break down with no response in time')
  expect(entryOf('7/breakdown-chat')?.evidence?.map(({ error }) => error)).toEqual([
    expect.stringContaining('60 s'),
    expect.stringContaining('60 s'),
  ])
  expect(entryOf('4.2/max-tokens-bound')).toMatchObject({ code: 'operation-timed-out' })
  expect(entryOf('4.3/every-result')?.verdict).toBe('pass')
})
