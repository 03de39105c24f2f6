import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, test, type TestContext } from 'vitest'
import { findTestK6, type TestK6 } from '../cli/testing/test-k6.ts'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import type { LoadSettings } from '../scenarios/lib/load-settings.ts'
import { parseSettings } from '../scenarios/lib/parse-settings.ts'
import type { CheckResult, ExtensionResult } from '../scenarios/lib/extension-result.ts'
import type { LoadKeys } from '../load/options/load-options.ts'
import { verifyResultDigest } from '../load/document-from-result.ts'
import { type K6RunResult, runK6 } from '../load/k6/run-k6.ts'
import { runProgram } from '../load/k6/run-program.ts'
import { TIMED_OPERATIONS, type TimedOperation } from '../contract/facts.ts'

/** Timeout for building k6 and its modules with empty caches. */
const K6_BUILD_TIMEOUT_MS = 900_000
const SMOKE_REQUESTS = 24

let k6: TestK6
let emulator: Emulator

beforeAll(async () => {
  k6 = await findTestK6()
}, K6_BUILD_TIMEOUT_MS)

beforeEach(async () => {
  emulator = await startEmulator({ answerTokens: 'natural' })
})

afterEach(() => emulator.close())

interface Wishes {
  readonly settings?: Partial<LoadSettings>
  readonly keys?: LoadKeys
  readonly segment?: { readonly index: number; readonly count: number }
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs a scenario with the k6 binary and the smoke profile. Skips the test if k6 is not available. */
function run(context: TestContext, scenario: string, wishes: Wishes = {}): Promise<K6RunResult> {
  if ('problem' in k6) return context.skip(k6.problem)
  const settings = parseSettings({ TOUCHSTONE_TARGET: emulator.url, ...wishes.environment })
  const keys = {
    funded: emulator.keys.funded,
    limited: emulator.keys.limited,
    small: emulator.keys.small,
    ...wishes.keys,
  }
  return runK6({
    k6: k6.path,
    scenario,
    settings: { ...settings, ...wishes.settings },
    keys,
    segment: wishes.segment,
    keepsEvents: false,
    signal: context.signal,
  })
}

function resultOf({ result, message }: K6RunResult): ExtensionResult {
  if (result === undefined) throw new Error(`k6 wrote no result: ${message}`)
  return result
}

/** Returns the number of requests for each operation. Fails the test if a request failed. */
function servedOf(end: K6RunResult): Partial<Record<TimedOperation, number>> {
  const { operations, validation, checks = [] } = resultOf(end)
  expect(validation.violations).toEqual([])
  expect(checks.filter(({ fails }) => fails > 0)).toEqual([])
  const entries = Object.entries(operations)
  expect(entries.filter(([, { ok, sent }]) => ok !== sent)).toEqual([])
  return Object.fromEntries(entries.map(([name, { ok }]) => [name, ok]))
}

/** Returns the outcome of each check, keyed by its name without counts. */
function verdicts({ checks = [] }: ExtensionResult): Record<string, 'holds' | 'broken' | 'untested'> {
  const verdict = ({ passes, fails }: CheckResult) => (fails > 0 ? 'broken' : passes > 0 ? 'holds' : 'untested')
  return Object.fromEntries(
    checks.map((check) => [check.name.replace(/ \(.*/, '').replace(/\d+ req/, 'N req'), verdict(check)]),
  )
}

test('smoke sends all operations equally often', async (context) => {
  const even = SMOKE_REQUESTS / TIMED_OPERATIONS.length
  expect(servedOf(await run(context, 'smoke'))).toEqual(
    Object.fromEntries(TIMED_OPERATIONS.map((name) => [name, even])),
  )
})

test.for(['chat', 'chat-stream', 'images', 'transcriptions', 'speech'] as const)(
  '%s sends only its operation, and gets only expected responses',
  async (name, context) => {
    const end = await run(context, name)
    expect(servedOf(end)).toEqual({ [name]: SMOKE_REQUESTS })
    expect(end.exitCode).toBe(0)
  },
)

test.for(['mixed', 'soak'])('%s sends operations in proportion to their weights', async (name, context) => {
  const weights = { models: 1, speech: 1 }
  const served = servedOf(await run(context, name, { settings: { weights } }))
  expect(Object.keys(served).sort()).toEqual(['models', 'speech'])
  expect((served.models ?? 0) + (served.speech ?? 0)).toBe(SMOKE_REQUESTS)
})

test('the abort scenario aborts streams without counting them as failures', async (context) => {
  const end = await run(context, 'abort', { settings: { abortAfterEvents: 3 } })
  const { 'chat-stream': streams } = resultOf(end).operations
  expect(streams).toMatchObject({ sent: SMOKE_REQUESTS, failed: 0 })
  expect((streams?.ok ?? 0) + (streams?.aborted ?? 0)).toBe(SMOKE_REQUESTS)
  expect(streams?.aborted).toBeGreaterThan(SMOKE_REQUESTS / 2)
  expect(verdicts(resultOf(end))['a client that aborts a stream has read no more events than planned']).toBe('holds')
})

describe('rate-limit', () => {
  const limit = { requests: 60, windowS: 60, burst: 5, obey: false }
  const [MOST, LEAST] = ['no more than N requests succeed', 'at least N requests succeed']

  test('the rate-limit scenario confirms the declared limit, and counts no 429 as a failure', async (context) => {
    const result = resultOf(await run(context, 'rate-limit', { settings: { limit } }))
    expect(result.operations.chat).toMatchObject({ sent: SMOKE_REQUESTS, ok: SMOKE_REQUESTS, failed: 0 })
    expect(result.operations.chat?.byStatus['429']).toBeGreaterThan(0)
    expect(verdicts(result)).toMatchObject({ [MOST]: 'holds', [LEAST]: 'holds' })
  })

  test('the rate-limit scenario detects a key with no limit or a lower one', async (context) => {
    const without = await run(context, 'rate-limit', {
      settings: { limit },
      keys: { limited: emulator.keys.funded },
    })
    expect(verdicts(resultOf(without))[MOST]).toBe('broken')
    const tighter = await run(context, 'rate-limit', { settings: { limit: { ...limit, burst: 20 } } })
    expect(verdicts(resultOf(tighter))[LEAST]).toBe('broken')
  })

  test('with `obey`, the rate-limit scenario waits after a 429 and is then served', async (context) => {
    const settings = { limit: { ...limit, obey: true }, iterations: 7 }
    const result = resultOf(await run(context, 'rate-limit', { settings }))
    expect(verdicts(result)).toMatchObject({
      'a 429 states the wait in seconds': 'holds',
      'a client that waited for Retry-After is served': 'holds',
    })
    expect(result.operations.chat?.byStatus['200']).toBe(7)
  })
})

describe('credit-drain', () => {
  const PAYMENT_REQUIRED_CHECK = 'the first request that the balance does not cover is rejected with 402'
  const SERVED = 'a request that the balance covers succeeds'

  test('credit-drain gets the 402 at exactly the request that the balance does not cover', async (context) => {
    const result = resultOf(await run(context, 'credit-drain', { settings: { smallBalance: '1', maxTokens: 400 } }))
    expect(verdicts(result)).toMatchObject({
      [SERVED]: 'holds',
      [PAYMENT_REQUIRED_CHECK]: 'holds',
      'then a request within the remaining balance succeeds': 'holds',
    })
    expect(result.operations.chat).toMatchObject({ failed: 0, byStatus: { '402': 1 } })
  })

  test('credit-drain detects a balance that is lower or higher than declared', async (context) => {
    const less = await run(context, 'credit-drain', { settings: { smallBalance: '1.1' } })
    expect(verdicts(resultOf(less))).toMatchObject({ [SERVED]: 'broken', [PAYMENT_REQUIRED_CHECK]: 'untested' })
    const keys = { small: emulator.keys.funded }
    const more = await run(context, 'credit-drain', { settings: { smallBalance: '1' }, keys })
    expect(verdicts(resultOf(more))).toMatchObject({ [SERVED]: 'holds', [PAYMENT_REQUIRED_CHECK]: 'broken' })
  })
})

describe('planned arrivals', () => {
  const environment = { TOUCHSTONE_RATE: '30', TOUCHSTONE_DURATION_S: '2' }

  test('planned arrivals are distributed among processes without duplicates', async (context) => {
    const ends = await Promise.all(
      [0, 1, 2].map((index) => run(context, 'chat-stream', { environment, segment: { index, count: 3 } })),
    )
    expect(ends.map((end) => resultOf(end).plan)).toEqual([
      { planned: 20, due: 20, taken: 20 },
      { planned: 20, due: 20, taken: 20 },
      { planned: 20, due: 20, taken: 20 },
    ])
    expect(ends.map((end) => servedOf(end)['chat-stream'])).toEqual([20, 20, 20])
  })

  test('a process that starts after the agreed start sends nothing, and reports the reason', async (context) => {
    const passed = { ...environment, TOUCHSTONE_START_AT: String(Date.now() / 1000 - 30) }
    const end = await run(context, 'chat', { environment: passed })
    expect(end.exitCode).toBe(108)
    expect(end.message).toMatch(/The start \S+ passed \d+ s before this run was ready: choose a later time/)
    expect(resultOf(end)).toMatchObject({ operations: {}, plan: { planned: 60, taken: 0 } })
  })
})

test('a script prints a summary when k6 runs it, and writes a result when the command does', async (context) => {
  if ('problem' in k6) return context.skip(k6.problem)
  const environment = { ...process.env, TOUCHSTONE_TARGET: emulator.url, TOUCHSTONE_KEY: emulator.keys.funded }
  const script = fileURLToPath(new URL('../scenarios/chat.ts', import.meta.url))
  const byHand = await runProgram(k6.path, ['run', '--quiet', script], { env: environment })
  expect(byHand.exitCode).toBe(0)
  expect(byHand.stdout).toContain('http_req_failed')
  expect(byHand.stderr).toContain('passed: chat: the response has usage')
  const resultPath = join(await mkdtemp(join(tmpdir(), 'scenario-')), 'result.json')
  const reported = { ...environment, TOUCHSTONE_LOAD: JSON.stringify({ resultPath }) }
  expect(await runProgram(k6.path, ['run', '--quiet', script], { env: reported })).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  })
  const result = await readFile(resultPath, 'utf8')
  expect(() => verifyResultDigest(resultPath, result)).not.toThrow()
  expect(JSON.parse(result)).toMatchObject({ operations: { chat: { ok: SMOKE_REQUESTS } } })
  const printing = { ...environment, TOUCHSTONE_LOAD: '{"resultPath": "stdout"}' }
  const { stdout } = await runProgram(k6.path, ['run', '--quiet', script], { env: printing })
  expect(stdout).toMatch(/^\{"version":.*\}\n$/)
  expect(JSON.parse(stdout)).toMatchObject({ operations: { chat: { ok: SMOKE_REQUESTS } } })
})

test.for<[scenario: string, settings: Partial<LoadSettings>, sentence: string]>([
  ['rate-limit', {}, 'The setting limit is missing'],
  ['chat', { arrivals: 'trace', tracePath: '/nowhere/trace.jsonl' }, 'cannot be read'],
])(
  '%s sends nothing with invalid settings, and reports the reason',
  async ([scenario, settings, sentence], context) => {
    const end = await run(context, scenario, { settings })
    expect(end.exitCode).toBe(108)
    expect(end.message).toContain(sentence)
  },
)
