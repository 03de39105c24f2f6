import { expect, test } from 'vitest'
import { createHistogram, encodeHistogram } from '../metrics/histogram.ts'
import { applyDefaults } from '../options/load-options.ts'
import { canMeasureOverload, describeOverload, planOverload } from './measure-overload.ts'

const plan = (given: Parameters<typeof applyDefaults>[0]) =>
  planOverload(applyDefaults({ find: ['ttft.p90<=300ms'], ...given }), 20, { responseS: 1 })

/** Creates the second `atS` of a run, in which ten requests ended with this TTFT. */
function second(atS: number, ttftMs: number, failed = 0) {
  const histogram = createHistogram(2)
  for (let index = 0; index < 10; index += 1) histogram.recordValue(ttftMs * 1000)
  const ttft = encodeHistogram(histogram)
  return { atS, requests: 10, ok: 10, failed, inFlight: 40, ttftP50Ms: ttftMs, ttftP99Ms: ttftMs, ttft }
}

test.each([
  ['rate', { arrivals: 'constant' }],
  ['streams', { arrivals: 'closed' }],
] as const)('plans twice the capacity, and then half of it, over %s', async (findOver, settings) => {
  const { settings: planned, arrivals } = await plan({ findOver })
  expect(planned).toMatchObject(settings)
  expect(planned.stages.slice(-2).map(({ to }) => to)).toEqual([40, 10])
  if (findOver === 'rate') expect(arrivals.atMs).toHaveLength(5 * 40 + 15 * 10)
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
    ...Array.from({ length: 5 }, (_, atS) => second(atS, 900, 5)),
    second(5, 900),
    second(6, 600, 3),
    second(7, 100, 3),
    second(8, 100),
    second(9, 900),
    ...Array.from({ length: 5 }, (_, index) => second(10 + index, 100)),
  ]
  const document = { series, requests: { byStatus: { 200: 150, 503: 31 }, byError: {} } }
  const overload = describeOverload(document, 20, { plan: planned, budgets: planned.budgets })
  expect(overload).toMatchObject({ level: 40, durationS: 5, ok: 50, failed: 25, recoveryLevel: 10, recoveryS: 15 })
  expect(overload.ttft?.p50Ms).toBeCloseTo(900, -1)
  // Later seconds count, too: the second 9 is slow again.
  expect(overload.recoveredAfterS).toBe(5)
})

test('reports no recovery if the budgets do not hold again, or limit neither TTFT nor failures', async () => {
  const series = Array.from({ length: 15 }, (_, atS) => second(atS, 900))
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
  const series = Array.from({ length: 20 }, (_, atS) => ({ ...second(atS, 0, atS < 7 ? 5 : 0), ttft: null }))
  const document = { series, requests: { byStatus: {}, byError: {} } }
  const overload = describeOverload(document, 20, { plan: { settings, ...planned }, budgets: planned.budgets })
  expect(overload).toMatchObject({ recoveryMetrics: ['failed.rate'], recoveredAfterS: 2 })
})
