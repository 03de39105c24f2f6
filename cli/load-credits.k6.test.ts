import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { startEmulatorGateway, startLoadTarget } from './testing/load-targets.ts'
import type { CliOptions } from './testing/run-cli.ts'
import { type LocalServer } from '../common/testing/local-server.ts'
import { buildEmulatorOptions, PERMISSIVE_LAG_BUDGET, useK6 } from './testing/run-load.ts'

const run = useK6()
/** The second emulator sends completions of maximum length, and is also the upstream of a gateway. */
const emulators: Emulator[] = []
const targets: LocalServer[] = []

beforeAll(async () => {
  emulators.push(await startEmulator())
  const full = await startEmulator(buildEmulatorOptions({ answerTokens: 'fill' }))
  emulators.push(full)
  targets.push(await startEmulatorGateway(full.url))
  targets.push(
    await startLoadTarget((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"usage": {"prompt_tokens": 900, "completion_tokens": 64}}')
    }),
  )
  targets.push(
    await startLoadTarget((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        '{"choices": [{"message": {"role": "assistant", "content": "one"}}], "usage": {"prompt_tokens": -5, "completion_tokens": 9e18}}',
      )
    }),
  )
})

afterAll(async () => {
  for (const one of [...targets, ...emulators]) await one[Symbol.asyncDispose]()
})

function runLoad(line: string, options: CliOptions = {}) {
  const [[usual, full], [gateway, greedy, nonsense]] = [emulators, targets]
  const known = {
    EMULATOR: usual?.url ?? '',
    FULL: full?.url ?? '',
    FULL_GATEWAY: gateway?.url ?? '',
    GREEDY: greedy?.url ?? '',
    NONSENSE: nonsense?.url ?? '',
    FUNDED: usual?.keys.funded ?? '',
  }
  return run(line, { known, ...options })
}

describe('the ledger was charged for exactly the counted chat tokens', () => {
  const FULL = { TOUCHSTONE_EMULATOR_ANSWER_TOKENS: 'fill' }
  test.each([
    ['completions of maximum length', '--scenario chat-stream --iterations 20', FULL],
    ['an emulator as the target', '--scenario chat --iterations 20 --target FULL --key FUNDED', {}],
    ['planned arrivals', `--scenario chat-stream --rate 20 --duration 1s ${PERMISSIVE_LAG_BUDGET}`, FULL],
  ])('the ledger charge equals the cost of the counted tokens for %s', async (_name, line, env) => {
    const { load } = await runLoad(line, { env })
    // 20 requests, each with 40 prompt tokens and 64 completion tokens, at 0.0004 credits per token.
    expect(load?.credits).toMatchObject({ counted: '0.832', ledger: '0.832' })
    expect(Number(load?.credits.estimate)).toBeGreaterThan(0.832)
  })

  test('completions of natural length cost less', async () => {
    const { load } = await runLoad('--scenario chat-stream --iterations 20')
    expect(load?.credits.counted).toBe(load?.credits.ledger)
    expect(Number(load?.credits.counted)).toBeLessThan(0.832)
    expect(Number(load?.credits.counted)).toBeGreaterThan(0)
  })
})

describe('a target that is not the emulator', () => {
  const LINE = '--target FULL_GATEWAY --no-calibration --scenario chat --iterations 10'

  test('estimates the cost at another target with one token per byte of the prompts', async () => {
    const { load } = await runLoad(`${LINE} --key FUNDED`)
    expect(load?.credits).toMatchObject({ counted: '0.416', ledger: null })
    expect(Number(load?.credits.estimate)).toBeGreaterThan(1)
    expect(load?.credits.note).toContain('upper bound: a prompt has at most as many tokens as bytes')
  })
})

test('ignores impossible usage values and keeps the other results', async () => {
  const { load, exitCode } = await runLoad(
    '--target NONSENSE --key FUNDED --scenario chat --no-calibration --iterations 4',
  )
  expect(exitCode).toBe(1)
  expect(load?.reasons).toContain('A check failed 4 of 4 times: chat: the response has usage.')
  expect(load?.credits.counted).toBe('0')
})

describe('--max-credits ends a run before it costs more', () => {
  test.each([
    ['a closed loop', '--scenario chat-stream --vus 4 --duration 60s', 1],
    ['planned arrivals', '--scenario chat --rate 20 --duration 20s', 1],
    ['a mixed run, of which only chat is counted', '--scenario mixed --vus 4 --iterations 2000', 1],
    ['one of two segments, by its share', '--scenario chat --rate 20 --duration 20s --segment 1/2', 0.5],
  ])('--max-credits limits the cost of %s', async (_name, line, limit) => {
    const account = emulators[0]?.createAccount({ credits: '1000' }).key ?? ''
    const { load, exitCode } = await runLoad(`${line} --target EMULATOR --key ${account} --max-credits 1 --yes`)
    expect({ exitCode, verdict: load?.verdict }).toEqual({ exitCode: 3, verdict: 'incomplete' })
    expect(load?.reasons.join(' ')).toContain(
      `--max-credits ended the run. The limit of this process is ${limit} credits.`,
    )
    const counted = Number(load?.credits.counted)
    expect(counted).toBeLessThanOrEqual(limit)
    // 0.6 credits is the upper bound for two requests in flight, with one token per byte of their prompts.
    expect(counted).toBeGreaterThan(limit - 0.6)
    expect(load?.requests).toMatchObject({ ok: load?.requests.sent, failed: 0, aborted: 0, dropped: 0 })
    if (!line.includes('mixed')) expect(load?.credits.ledger).toBe(load?.credits.counted)
  })

  test('--max-credits ends a run against a target that counts more tokens than it received', async () => {
    const line = '--target GREEDY --key FUNDED --scenario chat --no-calibration --iterations 20 --max-credits 3'
    const { load, exitCode } = await runLoad(line)
    expect(exitCode).toBe(3)
    // The target charges 0.3856 credits for each request, but the estimate is 0.12.
    expect(load?.credits).toMatchObject({ counted: '2.6992' })
    expect(load?.requests.sent).toBe(7)
  })
})
