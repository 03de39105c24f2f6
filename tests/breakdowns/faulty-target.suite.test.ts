import { describe, expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { getInputCount } from '../../conformance/testing/generated-inputs.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'
import { type RequestHandler, createFaultHandler, type InjectedFault, startFaultyProxy } from './faulty-proxy.ts'

/** Number of runs for each fault: 1, or 40 in the nightly tier. Each run injects the fault into a different request. */
const POSITIONS = Math.min(getInputCount(1), 40)
/** Faults to inject. One status and one reset cover both code paths; the nightly tier adds other statuses. */
const FAULTS: readonly InjectedFault[] = POSITIONS === 1 ? [503, 'reset'] : [500, 502, 503, 'reset']
/** Lower bound of the number of requests in a run. */
const REQUESTS = 400

type Choose = Parameters<typeof startFaultyProxy>[1]

async function runWith(
  choose: Choose,
  options: { readonly concurrency?: number; readonly only?: readonly string[] } = {},
) {
  await using emulator = await startEmulator()
  await using proxy = await startFaultyProxy(emulator.url, choose)
  const { funded, noCredits, limited } = emulator.keys
  const keys = { funded, noCredits, limited }
  return await runConformance({ url: proxy.url, keys, ...options })
}

function entriesWith({ checks }: ConformanceDocument, verdict: CheckEntry['verdict']): readonly string[] {
  return checks.filter((check) => check.verdict === verdict).map(({ id }) => id)
}

function entryOf({ checks }: ConformanceDocument, id: string): CheckEntry | undefined {
  return checks.find((check) => check.id === id)
}

describe('a fault in a single request', () => {
  const cases = FAULTS.flatMap((fault, shift) =>
    Array.from({ length: POSITIONS }, (_, index) => ({
      fault,
      position: 3 + Math.floor(((index + shift / FAULTS.length) * REQUESTS) / POSITIONS),
    })),
  )
  test.each(cases)('$fault at request $position results in a warning, with the request as evidence', async (one) => {
    let isInjected = false
    const { document, exitCode } = await runWith((position, { headers }) => {
      // HTTP allows a server to close an idle connection, so a reset of a reused connection is no fault of the target.
      const mayBeReused = headers.connection === 'keep-alive'
      if (isInjected || position < one.position || mayBeReused) return undefined
      isInjected = true
      return createFaultHandler(one.fault)
    })
    expect(entriesWith(document, 'fail')).toEqual([])
    expect(entriesWith(document, 'warn')).toEqual(['7/flakes'])
    expect(exitCode).toBe(0)
    const flakes = entryOf(document, '7/flakes')
    expect(flakes?.params).toMatchObject({ flakes: 1 })
    const [first, second] = flakes?.evidence ?? []
    expect(flakes?.evidence).toHaveLength(2)
    expect(first?.response?.status).toBe(one.fault === 'reset' ? undefined : one.fault)
    expect([second?.request.method, second?.request.url]).toEqual([first?.request.method, first?.request.url])
    expect(second?.response?.status).toBeLessThan(500)
    // The finding has no command, because the same request would succeed now. It refers to the recorded request
    // instead.
    expect(flakes?.reproduce).toBeUndefined()
    expect(flakes?.actual).toMatch(/ sent at \d{4}-.*Z, .*; repeated \d+\.\d s later, it returned \d+$/)
  })
})

test.concurrent('a 503 for one request in twenty fails the flake check', async () => {
  const { document, exitCode } = await runWith((position) =>
    position % 20 === 0 ? createFaultHandler(503) : undefined,
  )
  expect(exitCode).toBe(1)
  expect(entriesWith(document, 'fail')).toContain('7/flakes')
})

test.concurrent('breakdowns of a selected section count, although their checks are not selected', async () => {
  const { document, exitCode } = await runWith(
    (position, { url }) => (position % 2 === 1 && url === '/v1/audio/speech' ? createFaultHandler(500) : undefined),
    { only: ['4.5'] },
  )
  expect(exitCode).toBe(1)
  const found = document.checks.filter(({ requirement }) => requirement === '7/500').map(({ id }) => id)
  expect(found).not.toEqual([])
  expect(found).not.toContain('7/breakdown-models')
  expect(document.notPlanned.filter(({ id }) => found.includes(id))).toEqual([])
})

test.concurrent('an outage of three seconds counts as one incident and causes no failure', async () => {
  let startedAt = Number.POSITIVE_INFINITY
  const { document } = await runWith((position) => {
    if (position === 200) startedAt = performance.now()
    return performance.now() - startedAt < 3000 && position >= 200 ? createFaultHandler(502) : undefined
  })
  expect(entriesWith(document, 'fail')).toEqual([])
  const { flakes = 0, incidents } = entryOf(document, '7/flakes')?.params ?? {}
  // The number of requests in flight when the outage starts depends on the machine.
  expect(flakes).toBeGreaterThanOrEqual(1)
  expect(incidents).toBeLessThan(3)
  expect(document.checks.filter(({ code }) => code === 'request-broke-down')).toEqual([])
})

/** Codes of checks without a served request. After a few breakdowns, the suite sends no further requests. */
const NOT_SERVED = /^(?:request-broke-down|control-request-not-served|operation-broke-down)$/

describe('a list of models that always returns 500', () => {
  test('a model list that always returns 500 fails exactly one check', async () => {
    const { document } = await runWith((_position, { url }) =>
      url === '/v1/models' ? createFaultHandler(500) : undefined,
    )
    expect(entriesWith(document, 'fail')).toEqual(['7/breakdown-models'])
    const breakdown = entryOf(document, '7/breakdown-models')
    expect(breakdown?.actual).toMatch(/^\d+ of \d+ requests broke down, even when repeated: GET \/v1\/models/)
    expect(breakdown?.reproduce).toMatch(/^curl -sS -i '[^']*\/v1\/models'/)
    expect(new Set(breakdown?.evidence?.map(({ response }) => response?.status))).toEqual(new Set([500]))
    expect(entryOf(document, '1/models-offered')).toMatchObject({
      verdict: 'not-testable',
      code: expect.stringMatching(NOT_SERVED),
    })
    // The request without a key is rejected with 401, which is correct. Its control request receives the 500.
    expect(entryOf(document, '5/unknown-key-models')).toMatchObject({
      verdict: 'not-testable',
      code: expect.stringMatching(NOT_SERVED),
    })
    expect(entryOf(document, '5/key-prefix')?.verdict).toBe('not-testable')
    expect(entryOf(document, '5/unknown-key-chat')?.verdict).toBe('pass')
  })
})

test.concurrent('an invalid request that always breaks down fails its own check, and the command repeats it', async () => {
  const { document } = await runWith((_position, { headers }) =>
    headers.authorization?.trim() === 'Bearer' ? createFaultHandler(500) : undefined,
  )
  const operations = ['models', 'chat', 'images', 'transcriptions', 'speech']
  expect(entriesWith(document, 'fail')).toEqual(operations.map((operation) => `5/empty-token-${operation}`))
  const entry = entryOf(document, '5/empty-token-chat')
  expect(entry?.reproduce).toContain("-H 'authorization: Bearer '")
  expect(entry?.evidence?.map(({ response }) => response?.status)).toEqual([200, 500, 500, 500])
})

describe('a target that dies in the middle of a run', () => {
  const DEATHS: Readonly<Record<string, RequestHandler>> = {
    'answers 502': createFaultHandler(502),
    'resets connections': createFaultHandler('reset'),
  }
  const cases = Object.keys(DEATHS).flatMap((name) => [1, 8].map((concurrency) => ({ name, concurrency })))
  test.each(cases)(
    '$name: the run is incomplete, without a failure, with $concurrency parallel checks',
    async ({ name, concurrency }) => {
      const { document, exitCode } = await runWith((position) => (position > 200 ? DEATHS[name] : undefined), {
        concurrency,
      })
      expect(exitCode).toBe(3)
      expect(entriesWith(document, 'fail')).toEqual([])
      expect(document.remarkFindings.map(({ code }) => code)).toEqual(['target-died'])
      expect(document.remarks.join(' ')).toMatch(
        /stopped responding after \d+ responses\. .* In flight: (?:control |\d.*\/).* \((GET|POST) /,
      )
    },
  )
})

test.concurrent('after a request crashes the target, the report names the requests in flight, including that request', async () => {
  let hasEnded = false
  const { document, exitCode } = await runWith((_position, { headers }) => {
    // The body `null` and an invalid JSON body both have four bytes.
    hasEnded ||= headers['content-length'] === '4'
    return hasEnded ? createFaultHandler('reset') : undefined
  })
  expect(exitCode).toBe(3)
  const [remark] = document.remarkFindings
  expect(remark).toMatchObject({
    code: 'target-died',
    params: {
      inFlight: expect.arrayContaining([
        expect.objectContaining({ check: expect.stringMatching(/^7\/(?:no-object|malformed-json)-/), method: 'POST' }),
      ]),
    },
  })
})
