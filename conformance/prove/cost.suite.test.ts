import { describe, expect, test } from 'vitest'
import {
  type BehaviourOptions,
  type EmulatorOptions,
  parseBehaviourOption,
  startEmulator,
} from '../../emulator/start-emulator.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { CHECKS } from '../sections/checks.ts'
import { isSummaryCheck } from '../engine/check.ts'
import { calculateMaxCheckUnits } from '../engine/cost-estimate.ts'
import { calculateMaxUnits } from '../traffic/prices.ts'
import { parseJson } from '../http/decode-body.ts'
import { EMBEDDED_EMULATOR, REVOKED_KEY } from '../targets/embedded-emulator.ts'
import { AGENT_FIXTURES } from './agent-fixtures.ts'
import { type ConformanceOptions, planConformance, runConformance } from '../run-conformance.ts'

/** Timeout of a test in milliseconds. On a busy machine, several parallel runs of the whole suite take minutes. */
const TIMEOUT_MS = 600_000

/** Runs the suite with these options against an emulator whose completions all have the maximum length. */
async function runAgainstEmulator(options: ConformanceOptions, emulatorOptions: EmulatorOptions = {}) {
  await using emulator = await startEmulator({ answerTokens: 'fill', ...emulatorOptions })
  const { funded, noCredits, limited, small } = emulator.keys
  const { document } = await runConformance({
    url: emulator.url,
    keys: { funded, noCredits, limited, small, revoked: REVOKED_KEY },
    ...options,
  })
  return document
}

let wholeRun: ReturnType<typeof runAgainstEmulator> | undefined

/** Runs the whole suite with default options. The tests share this run because it takes a long time. */
function runWholeSuite() {
  wholeRun ??= runAgainstEmulator({})
  return wholeRun
}

/**
 * Returns options of an emulator on which only the most expensive model serves images and speech. Model discovery then
 * sends the maximum number of requests.
 */
function serveMediaWithDearestModel(): Partial<BehaviourOptions> {
  const parsed = parseBehaviourOption('capabilities', 'images:vendorc-4o;transcriptions:vendorc-4o;speech:vendorc-4o')
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

/**
 * Returns the maximum cost in units of the requests that a check sent with any key. Calculates it from their recorded
 * bodies.
 */
function unitsOf({ evidence = [] }: CheckEntry): number {
  const bodies = evidence.map(({ request }) => parseJson(request.body))
  return bodies.reduce<number>((sum, body) => sum + calculateMaxUnits(body), 0)
}

describe.concurrent('the dry run returns an upper bound of the cost', { timeout: TIMEOUT_MS }, () => {
  test('the dry run returns an upper bound for the cost of each check', async () => {
    const document = await runWholeSuite()
    const sending = CHECKS.filter((check) => !isSummaryCheck(check))
    const ids = new Set(sending.map(({ id }) => id))
    const used = document.checks
      .filter(({ id }) => ids.has(id))
      .map((entry) => ({ id: entry.id, units: unitsOf(entry) }))
    const declared = new Map(
      sending.map((check) => [check.id, calculateMaxCheckUnits(check, (of) => document.target.models[of] ?? '')]),
    )
    expect(used.filter(({ id, units }) => units > (declared.get(id) ?? 0))).toEqual([])
    // None of the bodies may be truncated. Such a body is not valid JSON, so its request would count as free.
    const cut = document.checks.filter(({ evidence = [] }) =>
      evidence.some(({ request }) => request.body.length > 16_000),
    )
    expect(cut.map(({ id }) => id).filter((id) => !/^(8\/large-prompt|7\/large-body-)/.test(id))).toEqual([])
  })

  test.each([
    ['one section', { only: ['4.2'] }],
    ['larger bursts than usual', { only: ['7'], limitedBurst: 90 }],
    ['one check that needs no model', { only: ['1/images-offered'] }],
    ['one check of an operation that is searched', { only: ['2.5/text'] }],
  ])('the dry run returns an upper bound for the cost of %s', async (_name, options: ConformanceOptions) => {
    const { estimate } = planConformance(options)
    const { spent } = await runAgainstEmulator(options)
    expect(spent.requests).toBeLessThanOrEqual(estimate.requests)
    expect(spent.creditsUpperBound).toBeLessThanOrEqual(estimate.creditsAtCheapest)
    expect(estimate.creditsAtCheapest).toBeLessThanOrEqual(estimate.credits)
  })

  test('the dry run returns an upper bound for the cost of the whole suite', async () => {
    const { estimate } = planConformance({})
    const { spent } = await runWholeSuite()
    expect(spent.requests).toBeLessThanOrEqual(estimate.requests)
    expect(spent.creditsUpperBound).toBeLessThanOrEqual(estimate.creditsAtCheapest)
    expect(estimate.creditsAtCheapest).toBeLessThanOrEqual(estimate.credits)
  })

  test('the dry run returns an upper bound for the cost of all optional checks', async () => {
    const { declarations, options: behaviour, faults } = EMBEDDED_EMULATOR
    const options: ConformanceOptions = { declarations, sdk: true, agents: true }
    const { plan, estimate } = planConformance(options)
    expect(plan.notPlanned).toEqual([])
    const { spent, summary, checks } = await runAgainstEmulator(options, {
      options: behaviour,
      faults,
      fixtures: AGENT_FIXTURES,
    })
    // Every check must run. A check that does not run costs nothing, which would hide an incorrect estimate.
    const notTestable = checks.filter(({ verdict }) => verdict === 'not-testable').map(({ id }) => id)
    // The exception: on a busy machine, the check reads several events together, so its outcome may be unclear. It then
    // sends more requests, not fewer.
    expect(notTestable.filter((id) => id !== '4.2/stream-progress')).toEqual([])
    expect(summary.error).toBe(0)
    expect(spent.requests).toBeLessThanOrEqual(estimate.requests)
    expect(spent.creditsUpperBound).toBeLessThanOrEqual(estimate.creditsAtCheapest)
  })

  test('the cost bound holds if only the most expensive model serves images and speech', async () => {
    const { estimate } = planConformance({})
    const [{ spent }, usual] = await Promise.all([
      runAgainstEmulator({}, { options: serveMediaWithDearestModel() }),
      runWholeSuite(),
    ])
    expect(spent.requests).toBeLessThanOrEqual(estimate.requests)
    expect(spent.creditsUpperBound).toBeLessThanOrEqual(estimate.credits)
    // The option must increase the upper bound, or it has no effect. `creditsAtCheapest` is no lower bound, because
    // checks share most requests.
    expect(spent.creditsUpperBound).toBeGreaterThan(usual.spent.creditsUpperBound ?? Infinity)
  })
})
