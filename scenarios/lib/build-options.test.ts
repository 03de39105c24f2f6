import { describe, expect, test } from 'vitest'
import { buildOptions } from './build-options.ts'
import type { LoadSettings } from './load-settings.ts'
import { parseSettings } from './parse-settings.ts'

function load(changes: Partial<LoadSettings>, planned: { count: number; lastAtMs: number } | null = null): object {
  const settings = { ...parseSettings({ TOUCHSTONE_TARGET: 'http://h:1' }), timeoutMs: 20_000, ...changes }
  const { iterations: _, ...uncounted } = settings
  return buildOptions(changes.iterations === undefined ? uncounted : settings, planned)
}

describe('the k6 options', () => {
  test('the k6 options run each planned arrival once, with spare iterations for uneven segments', () => {
    expect(load({ vus: 50 }, { count: 1000, lastAtMs: 9900 })).toMatchObject({
      scenarios: {
        load: { executor: 'shared-iterations', vus: 50, iterations: 1100, maxDuration: '20s', gracefulStop: '25s' },
      },
    })
  })

  test('the k6 options accept any certificate only on request', () => {
    expect(load({ insecure: true })).toHaveProperty('insecureSkipTLSVerify', true)
    expect(load({})).not.toHaveProperty('insecureSkipTLSVerify')
  })

  test('the k6 options have at least as many iterations as VUs, as k6 requires', () => {
    expect(load({ vus: 500 }, { count: 3, lastAtMs: 0 })).toMatchObject({ scenarios: { load: { iterations: 500 } } })
    expect(load({ vus: 30, iterations: 24 })).toMatchObject({ scenarios: { load: { vus: 24, iterations: 24 } } })
  })

  test('the k6 options delay the start for a plan that starts later', () => {
    const later = load({ extension: { startAtUnixMs: Date.now() + 3_600_000 } }, { count: 3, lastAtMs: 0 })
    const { maxDuration } = (later as { scenarios: { load: { maxDuration: string } } }).scenarios.load
    expect(Number.parseInt(maxDuration, 10)).toBeGreaterThan(3600)
  })

  test('the k6 options keep the number of VUs of a steady closed loop', () => {
    const stages = [{ durationS: 2.5, from: 4, to: 4 }]
    expect(load({ stages })).toMatchObject({
      scenarios: { load: { executor: 'constant-vus', vus: 4, duration: '2.5s' } },
    })
  })

  test('the k6 options ramp the VUs of a closed loop in stages, including jumps', () => {
    const stages = [
      { durationS: 10, from: 0.6, to: 8.4 },
      { durationS: 5, from: 20, to: 20 },
    ]
    expect(load({ stages })).toMatchObject({
      scenarios: {
        load: {
          executor: 'ramping-vus',
          startVUs: 1,
          stages: [
            { duration: '0s', target: 1 },
            { duration: '10s', target: 8 },
            { duration: '0s', target: 20 },
            { duration: '5s', target: 20 },
          ],
        },
      },
    })
  })

  test('the k6 options abort at a crossed threshold if the profile searches for the breaking point', () => {
    const thresholds = { http_req_failed: ['rate<=0.01'] }
    expect(load({ thresholds })).toMatchObject({ thresholds })
    expect(load({ thresholds, stopsWhenBroken: true })).toMatchObject({
      thresholds: { http_req_failed: [{ threshold: 'rate<=0.01', abortOnFail: true, delayAbortEval: '10s' }] },
    })
  })
})
