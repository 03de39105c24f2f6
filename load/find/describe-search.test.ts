import { expect, test } from 'vitest'
import type { LoadSearch } from '../../reports/load-parts-document.ts'
import { buildDocument, describePlan } from '../build-document.ts'
import { describeFinding } from '../findings/finding.ts'
import { buildMeasurements } from '../metrics/measurements.ts'
import { applyDefaults } from '../options/load-options.ts'
import { createExtensionResult, createOperationResult, repeatValue } from '../testing/make-result.ts'
import { describeEnd, describeSearch, type Run } from './describe-search.ts'
import { planSearch } from './plan-search.ts'
import type { RunKind } from './search-levels.ts'

const UNIT = 'requests per second'

/** Describes a search that ended between 10 and 20 requests per second, with or without runs at 15. */
function describe(end: LoadSearch['end'], levels: readonly number[]): string {
  const steps = levels.map((level) => ({
    level,
    outcome: 'uncertain' as const,
    runs: 1,
    sent: 50,
    failed: 0,
    stopped: 0,
    byStatus: {},
    byError: {},
    okPerSecond: level,
    goodPerSecond: level,
    inFlight: 5,
    ttft: null,
    e2e: null,
    budgets: [],
  }))
  const search = { capacity: { from: 10, to: 20, unit: UNIT }, end, steps, resolutionPercent: 5 } as const
  return describeFinding(describeEnd(search, ['ttft.p99 <= 300 ms']), (option) => `<${option}>`)
}

const RANGE =
  'The capacity is between 10 and 20 requests per second: holds 10 requests per second (5 parallel streams) at ttft.p99 <= 300 ms. Two runs above 10 and up to 20 requests per second exceeded a budget.'

test.each([
  ['max-duration', [10, 20], ' The search reached its time limit (<maxDurationS>).'],
  ['spend-limit', [10, 15, 20], ' The next run could exceed the spend limit (<maxCredits>).'],
  ['generator', [10, 20], ' The load generator reached its own limit: '],
  ['uncertain', [10, 15, 20], ' The runs between these levels were inconclusive.'],
] as const)('explains a wide range by the end %s of the search', (end, levels, reason) => {
  expect(describe(end, levels)).toContain(`${RANGE}${reason}`)
})

test('mentions no runs between the levels of a wide range if there are none', () => {
  expect(describe('uncertain', [10, 20])).toBe(RANGE)
})

/** Creates a run of ten seconds whose responses start to arrive after two, with `ok` in each second. */
function createRun(ok: number, inFlight: number, plan: Awaited<ReturnType<typeof planSearch>>): Run {
  const ttftMs = repeatValue(8 * ok, 100)
  const series = Array.from({ length: 10 }, (_, atS) => {
    const count = atS < 2 ? 0 : ok
    return { atS, requests: ok, ok: count, failed: 0, inFlight, ttft: null }
  })
  const result = createExtensionResult(
    { 'chat-stream': createOperationResult(8 * ok, { ttftMs, e2eMs: ttftMs }, { aborted: 3, sent: 8 * ok + 3 }) },
    { series },
  )
  const evaluation = { verdict: 'within-budgets', findings: [], budgets: [] } as const
  const metadata = describePlan(plan, { toolVersion: '1' })
  return {
    document: buildDocument(
      buildMeasurements(result, () => null),
      evaluation,
      metadata,
    ),
    endS: 10,
  }
}

test('describes the steady load of each level, and divides the counts at the capacity by it', async () => {
  const plan = await planSearch(applyDefaults({ find: ['ttft.p50<=1s'], findOver: 'streams' }))
  const { search } = plan
  if (search === undefined) throw new Error('the plan has no search')
  const stepOf = (level: number, inFlight: number, kind: RunKind, outcome: 'holds' | 'broken') => {
    const run = createRun(10, inFlight, plan)
    return { level, runs: [{ kind, outcome, isWithin: outcome === 'holds', run }] }
  }
  const steps = [stepOf(8, 8, 'proof', 'holds'), stepOf(9, 30, 'probe', 'broken'), stepOf(16, 99, 'probe', 'broken')]
  const target = { entry: { url: '', embedded: false, isEmulator: false, keys: {}, models: {} } }
  const context = { toolVersion: '1', environment: {}, signal: new AbortController().signal }
  const document = describeSearch(
    { ...plan, search },
    // The description uses only these properties of the context and the target.
    context as unknown as Parameters<typeof describeSearch>[1],
    {
      result: { steps, end: 'resolution', bounds: { from: 8, to: 16 } },
      all: steps.flatMap(({ runs }) => runs.map(({ run }) => run.document)),
      overload: null,
      target: target as unknown as Parameters<typeof describeSearch>[2]['target'],
      startedAtUnixMs: Date.now(),
    },
  )
  expect(document.search?.steps).toMatchObject([
    // The eight seconds with responses have 10 each. The run lasted ten seconds.
    { sent: 83, failed: 0, stopped: 3, okPerSecond: 10, goodPerSecond: 10, inFlight: 8, ttft: { p50Ms: 100 } },
    { okPerSecond: 10, goodPerSecond: null, inFlight: 30, ttft: null, e2e: null },
    { okPerSecond: null, goodPerSecond: null, inFlight: null, ttft: null, e2e: null },
  ])
  expect(document).toMatchObject({ okPerSecond: 10, goodputPerSecond: 10 })
  expect(document.reasons[0]).toContain('8 parallel streams (10 requests per second)')
})
