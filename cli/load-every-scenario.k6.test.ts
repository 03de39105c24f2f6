import { describe, expect, test } from 'vitest'
import { useK6 } from './testing/run-load.ts'

const runLoad = useK6()

describe('every scenario', () => {
  test.each([
    'chat --iterations 6',
    'chat-stream --iterations 6',
    'images --iterations 2',
    'transcriptions --iterations 4',
    'speech --iterations 4',
    'mixed --iterations 12',
    'abort --iterations 6',
    'credit-drain',
    'rate-limit --iterations 12',
    'rate-limit --iterations 8 --limit 60/60s,burst=5,obey',
  ])('runs %s against the emulator without a finding', async (line) => {
    const { load } = await runLoad(`--scenario ${line}`)
    expect({ verdict: load?.verdict, reasons: load?.reasons }).toEqual({ verdict: 'within-budgets', reasons: [] })
    expect(load?.requests.failed).toBe(0)
    expect(load?.validation.violations).toEqual([])
    expect(load?.requests.sent).toBeGreaterThan(1)
  })
})

test('matches each event with its record in the emulator', async () => {
  const { load } = await runLoad('--scenario smoke --iterations 12', {
    env: { TOUCHSTONE_EMULATOR_LATENCY: 'ttft=20ms,itl=2ms' },
  })
  expect(load?.calibration).toMatchObject({ source: 'run', joined: 12, unjoined: 0 })
  const stream = load?.metrics['chat-stream']
  expect(stream?.ttftMs?.error?.p99Ms).toBeGreaterThan(0)
  expect(stream?.itlMs?.n).toBeGreaterThan(10)
  expect(stream?.itlMs?.error).not.toBeNull()
})
