import { expect, test } from 'vitest'
import { type LoadResult, useK6 } from './testing/run-load.ts'

const runLoad = useK6()

const TTFT_MS = 100
const ITL_MS = 10
const TOKENS = 16
/** Fraction by which each request in progress increases every delay. */
const SLOWDOWN = 0.05
const LIMIT_MS = 2 * TTFT_MS

/**
 * Calculates the rate at which the TTFT reaches the limit. The factor of all delays is `1 + SLOWDOWN * n` with `n`
 * requests in progress, the new one included. At a steady rate, by Little's law, `n` is the rate times the duration of a
 * response, plus half a request on average, because `n` is counted right after an arrival.
 */
function calculateCapacity(): number {
  const factor = LIMIT_MS / TTFT_MS
  const inProgress = (factor - 1) / SLOWDOWN - 0.5
  const durationS = (factor * (TTFT_MS + (TOKENS - 1) * ITL_MS)) / 1000
  return inProgress / durationS
}

/** Searches for the capacity, up to three times: other programs on the machine can make a search incomplete. */
async function findCapacity(attempts = 3): Promise<LoadResult> {
  const search = await runLoad(
    `--find ttft.p50<=${LIMIT_MS}ms --rate 25 --duration 6s --max-tokens ${TOKENS} --max-credits 500`,
    {
      env: { TOUCHSTONE_EMULATOR_LATENCY: `ttft=${TTFT_MS}ms,itl=${ITL_MS}ms,slowdown=${SLOWDOWN}` },
    },
  )
  return search.exitCode === 3 && attempts > 1 ? findCapacity(attempts - 1) : search
}

test('finds the capacity that follows from the slowdown of the emulator', { timeout: 600_000 }, async () => {
  const { load, stderr, exitCode } = await findCapacity()
  expect({ exitCode, reasons: exitCode === 0 ? [] : load?.reasons }).toEqual({ exitCode: 0, reasons: [] })
  expect(load?.search).toMatchObject({ end: 'resolution', resolutionPercent: 5 })
  const { capacity: { from = 0, to = 0 } = {}, steps = [] } = load?.search ?? {}
  const capacity = calculateCapacity()
  expect(Math.abs((from ?? 0) / capacity - 1)).toBeLessThan(0.1)
  expect((to ?? 0) / (from ?? 1)).toBeLessThanOrEqual(1.05)
  const shown = steps.find(({ level }) => level === from)
  expect(load?.reasons[0]).toMatch(
    `Holds ${from} requests per second (${Number(shown?.inFlight?.toPrecision(3))} parallel`,
  )
  expect(load?.reasons[0]).toContain(`at ttft.p50 <= ${LIMIT_MS} ms. At ${to} requests per second, `)
  expect(load?.requests.sent).toBe(shown?.sent)
  expect(load?.verdict).toBe('within-budgets')
  expect(Number(load?.search?.credits)).toBeGreaterThan(Number(load?.credits.counted))
  expect(stderr).toMatch(/^25 requests per second: \w+ · ttft\.p50 \d+ ms · failed\.rate 0 %$/m)
})

test('finds the number of parallel streams that the slots of the emulator serve', { timeout: 600_000 }, async () => {
  const { load, exitCode } = await runLoad(
    `--find ttft.p50<=5s --find-over streams --vus 64 --duration 2s --max-tokens ${TOKENS}`,
    {
      env: {
        TOUCHSTONE_EMULATOR_LATENCY: `ttft=${TTFT_MS}ms,itl=${ITL_MS}ms`,
        TOUCHSTONE_EMULATOR_SLOTS: '16',
        TOUCHSTONE_EMULATOR_QUEUE_LENGTH: '0',
        TOUCHSTONE_EMULATOR_ANSWER_TOKENS: String(TOKENS),
      },
    },
  )
  expect({ exitCode, reasons: exitCode === 0 ? [] : load?.reasons }).toEqual({ exitCode: 0, reasons: [] })
  const { from, to, unit } = load?.search?.capacity ?? { from: null, to: null }
  expect(unit).toBe('parallel streams')
  expect(from).toBeLessThanOrEqual(16)
  expect(from).toBeGreaterThanOrEqual(14)
  expect(to).toBeGreaterThan(15)
  expect(load?.search?.overload).toMatchObject({ level: 2 * (from ?? 0), recoveryLevel: Math.round((from ?? 0) / 2) })
  expect(load?.search?.overload?.byStatus['429']).toBeGreaterThan(0)
})
