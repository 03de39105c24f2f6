import { expect, test } from 'vitest'
import { createHistogram, encodeHistogram } from '../metrics/histogram.ts'
import { applyDefaults } from '../options/load-options.ts'
import { canMeasureOverload, describeOverload, planOverload } from './measure-overload.ts'

const plan = (given: Parameters<typeof applyDefaults>[0]) =>
  planOverload(applyDefaults({ find: ['ttft.p90<=300ms'], ...given }), 20, { responseS: 0.5 })

/** Creates the second `atS` of a run, in which ten requests ended with this TTFT. */
function second(atS: number, ttftMs: number, failed = 0) {
  const histogram = createHistogram(2)
  for (let index = 0; index < 10; index += 1) histogram.recordValue(ttftMs * 1000)
  const ttft = encodeHistogram(histogram)
  return { atS, requests: 10, ok: 10, failed, inFlight: 10, ttftP50Ms: ttftMs, ttftP99Ms: ttftMs, ttft }
}

test.each([
  ['rate', { arrivals: 'constant' }],
  ['streams', { arrivals: 'closed' }],
] as const)('plans twice the capacity, and then half of it, over %s', async (findOver, settings) => {
  const { settings: planned, arrivals } = await plan({ findOver })
  expect(planned).toMatchObject(settings)
  expect(planned.stages.slice(-2).map(({ to }) => to)).toEqual([40, 10])
  if (findOver === 'rate') expect(arrivals.atMs).toHaveLength(10 * 40 + 30 * 10)
})

test('plans an overload of several responses, which take twice as long as below the capacity', async () => {
  const options = applyDefaults({ find: ['ttft.p90<=300ms'], findOver: 'streams' })
  const { settings } = await planOverload(options, 20, { responseS: 3 })
  expect(settings.stages.map(({ durationS }) => durationS)).toEqual([6, 12, 36])
})

test.each([
  ['measures', 40, true],
  ['does not measure', 39, false],
])('%s twice the capacity 20 if the highest level is %d', (_verb, maxLevel, expected) => {
  expect(canMeasureOverload('resolution', { from: 20, to: 21 }, maxLevel)).toBe(expected)
})

test('reports failures and latency during the overload, and when the budgets hold again', async () => {
  const planned = await plan({})
  const series = [
    ...Array.from({ length: 10 }, (_, atS) => second(atS, 900, 5)),
    second(10, 900),
    second(11, 600, 3),
    second(12, 100, 3),
    second(13, 100),
    second(14, 900),
    ...Array.from({ length: 5 }, (_, index) => second(15 + index, 100)),
  ]
  const document = { series, requests: { byStatus: { 200: 150, 503: 31 }, byError: {} } }
  const overload = describeOverload(document, 20, { plan: planned, budgets: planned.budgets })
  expect(overload).toMatchObject({ level: 40, durationS: 10, ok: 100, failed: 50, recoveryLevel: 10, recoveryS: 30 })
  expect(overload.ttft?.p50Ms).toBeCloseTo(900, -1)
  expect(overload.okPerSecond).toBe(10)
  // Later seconds count, too: the second 14 is slow again.
  expect(overload.recoveredAfterS).toBe(5)
})

test('reports no throughput and no latency of an overload that ended before its load was steady', async () => {
  const planned = await plan({})
  const series = Array.from({ length: 20 }, (_, atS) => ({ ...second(atS, 900), inFlight: 90 }))
  const document = { series, requests: { byStatus: {}, byError: {} } }
  const overload = describeOverload(document, 20, { plan: planned, budgets: planned.budgets })
  expect(overload).toMatchObject({ ok: 100, okPerSecond: null, ttft: null })
})

test('reports no recovery if the budgets do not hold again, or limit neither TTFT nor failures', async () => {
  const series = Array.from({ length: 40 }, (_, atS) => second(atS, 900))
  const recoveryOf = async (given: Parameters<typeof applyDefaults>[0]) => {
    const planned = await plan(given)
    return describeOverload({ series, requests: { byStatus: {}, byError: {} } }, 20, {
      plan: planned,
      budgets: planned.budgets,
    })
  }
  expect(await recoveryOf({})).toMatchObject({ recoveryMetrics: ['ttft', 'failed.rate'], recoveredAfterS: null })
  const others = { find: ['e2e.p90<=1s'], budgets: ['e2e.p90<=1s'] }
  expect(await recoveryOf(others)).toMatchObject({ recoveryMetrics: [], recoveredAfterS: null })
})

test('reports the recovery of operations without TTFT by their failures', async () => {
  const { settings, ...planned } = await plan({ find: ['e2e.p90<=1s'], scenario: 'chat' })
  const series = Array.from({ length: 20 }, (_, atS) => ({ ...second(atS, 0, atS < 12 ? 5 : 0), ttft: null }))
  const document = { series, requests: { byStatus: {}, byError: {} } }
  const overload = describeOverload(document, 20, { plan: { settings, ...planned }, budgets: planned.budgets })
  expect(overload).toMatchObject({ recoveryMetrics: ['failed.rate'], recoveredAfterS: 2 })
})
