import type { ChildProcess } from 'node:child_process'
import { mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { findUnusedAddress, type LoadTarget, startEmulatorGateway, startLoadTarget } from './testing/load-targets.ts'
import type { CliOptions } from './testing/run-cli.ts'
import {
  PERMISSIVE_LAG_BUDGET,
  K6_BUILD_TIMEOUT_MS,
  buildEmulatorOptions,
  runLoad as run,
  SLOW_TEST_TIMEOUT_MS,
} from './testing/run-load.ts'
import { findTestK6 } from './testing/test-k6.ts'

let k6 = ''
let missing: string | undefined
let directory = ''
const emulators: Record<string, Emulator> = {}
const targets: Record<string, LoadTarget> = {}
let nothing = ''
let brokenK6 = ''

beforeAll(async () => {
  const found = await findTestK6()
  if ('problem' in found) missing = found.problem
  else k6 = found.path
  directory = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  emulators['EMULATOR'] = await startEmulator({ requestLog: { digests: 1 } })
  emulators['SLOW'] = await startEmulator(buildEmulatorOptions({ latency: 'ttft=400ms,itl=1ms' }))
  emulators['ENDLESS'] = await startEmulator(buildEmulatorOptions({ options: { 'done-marker': 'none' } }))
  targets['GATEWAY'] = await startEmulatorGateway(emulators['EMULATOR'].url)
  targets['RESETS'] = await startLoadTarget((request) => request.socket.resetAndDestroy())
  targets['FAILS'] = await startLoadTarget((_request, response) => response.writeHead(500).end('{}'))
  let requested = 0
  targets['FLAKY'] = await startLoadTarget((_request, response) => {
    requested += 1
    if (requested % 3 === 0) response.writeHead(503).end()
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}')
  })
  targets['OTHER_SHAPE'] = await startLoadTarget((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"text": "one"}\n\ndata: {"text": " two"}\n\ndata: [DONE]\n\n')
  })
  targets['WEB_PAGE'] = await startLoadTarget((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>'),
  )
  targets['EMPTY'] = await startLoadTarget((_request, response) => response.writeHead(204).end())
  let streams = 0
  targets['TRUNCATES'] = await startLoadTarget((_request, response) => {
    streams += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: {"choices": [{"delta": {"content": "one"}}]}\n\n${streams % 3 === 0 ? '' : 'data: [DONE]\n\n'}`)
  })
  nothing = await findUnusedAddress()
  brokenK6 = join(directory, 'broken-k6')
  const script =
    '#!/bin/sh\n[ "$1" = version ] && echo "k6 with k6/x/touchstone" && exit 0\necho "out of luck" >&2\nexit 3\n'
  await writeFile(brokenK6, script, { mode: 0o755 })
}, K6_BUILD_TIMEOUT_MS)

afterAll(async () => {
  for (const one of [...Object.values(targets), ...Object.values(emulators)]) await one.close()
})

beforeEach((context) => {
  context.skip(missing !== undefined, missing)
})

function known(): Record<string, string> {
  const { funded = '', small = '' } = emulators['EMULATOR']?.keys ?? {}
  const servers = Object.entries({ ...emulators, ...targets }).map(([name, { url }]) => [name, url])
  return { NOTHING: nothing, BROKEN_K6: brokenK6, FUNDED: funded, SMALL: small, ...Object.fromEntries(servers) }
}

const runLoad = (line: string, options: CliOptions = {}) => run(line, { k6, known: known(), ...options })

const AT_EMULATOR = '--target EMULATOR --key FUNDED'

describe('exit codes', () => {
  test.each([
    ['a run of every operation', '--scenario smoke --iterations 12', 0, 'WITHIN BUDGETS'],
    ['a met budget', `${AT_EMULATOR} --budget chat-stream.e2e.p50<=10s`, 0, 'met its budget'],
    [
      'planned arrivals',
      `${AT_EMULATOR} --rate 20 --duration 1s --budget dropped.count<=0 ${PERMISSIVE_LAG_BUDGET}`,
      0,
      'of this run',
    ],
    [
      'Poisson arrivals',
      `${AT_EMULATOR} --arrivals poisson --rate 20 --duration 1s --scenario mixed ${PERMISSIVE_LAG_BUDGET}`,
      0,
      'WITHIN',
    ],
    [
      'a calibrated run against a gateway',
      '--target GATEWAY --key FUNDED --iterations 6',
      0,
      'does not include the network',
    ],
    ['a broken budget', '--target SLOW --key FUNDED --budget ttft.p50<=1ms', 1, 'ttft.p50 is 4'],
    [
      'failed requests above the budget',
      '--target FLAKY --key FUNDED --scenario chat --no-calibration',
      1,
      'failed.rate is 33',
    ],
    [
      'empty responses',
      '--target EMPTY --key FUNDED --no-calibration',
      3,
      'None of the 24 requests succeeded (24 × unexpected-body',
    ],
    ['a web page', '--target WEB_PAGE --key FUNDED --no-calibration --iterations 10', 3, '0 ok · 10 failed'],
    ['truncated streams', '--target TRUNCATES --key FUNDED --no-calibration', 1, 'without [DONE], unlike the others'],
    [
      'the profile breakpoint',
      `--target SLOW --key FUNDED --profile breakpoint --rate 20 --duration 60s --max-tokens 1 --budget ttft.p50<=1ms ${PERMISSIVE_LAG_BUDGET}`,
      1,
      'The run exceeded a budget after',
    ],
    ['streams without [DONE]', '--target ENDLESS --key FUNDED --iterations 4', 1, 'of 4 streams'],
    [
      'a broken budget and a budget with too few samples',
      `${AT_EMULATOR} --budget rate>=100000/s --budget ttft.p99<=1s`,
      1,
      'BUDGET BROKEN',
    ],
    ['a soak run too short to test drift', '--scenario soak --iterations 6', 3, 'This check never ran: the p50'],
    [
      'a budget with too few samples',
      `${AT_EMULATOR} --budget ttft.p99<=10s`,
      3,
      'ttft.p99 needs 662 samples and has 24',
    ],
    [
      'a plan that a single VU cannot keep',
      '--target SLOW --key FUNDED --rate 20 --duration 2s --vus 1 --max-tokens 1',
      3,
      'INVALID',
    ],
    [
      'a run in which every request fails',
      '--target FAILS --key FUNDED --scenario chat --no-calibration',
      1,
      'None of the 24 requests succeeded',
    ],
    ['a target that resets connections', '--target RESETS --key FUNDED --scenario chat --no-calibration', 3, '× reset'],
    ['an unreachable target', '--target NOTHING --key FUNDED', 3, 'connection refused'],
    ['an invalid key', '--target EMULATOR --key sk-svc-who-is-this', 3, 'rejected the key (status 401)'],
    ['a missing key', '--target EMULATOR', 3, '--key or TOUCHSTONE_KEY'],
    [
      'a missing limited key',
      `${AT_EMULATOR} --scenario rate-limit --limit 60/60s`,
      3,
      '--limited-key or TOUCHSTONE_KEY_LIMITED',
    ],
    [
      'streams whose text has an unknown path',
      '--target OTHER_SHAPE --key FUNDED --no-calibration --budget ttft.p50<=9s',
      3,
      '--content-path',
    ],
    [
      'streams whose text is at --content-path',
      '--target OTHER_SHAPE --key FUNDED --no-calibration --budget ttft.p50<=9s --content-path text',
      0,
      'ttft.p50 <=',
    ],
    ['a k6 that writes no result', '--k6 BROKEN_K6', 4, 'k6 exited with code 3 without a usable result: out of luck'],
    ['--dry-run', '--scenario chat --dry-run', 0, 'would send 24 requests'],
    [
      '--dry-run with a cost above --max-credits',
      '--scenario chat --dry-run --max-credits 0.5',
      0,
      'or end with exit code 2',
    ],
    ['--help', '--help', 0, 'Exit codes:'],
  ])(
    'exits with the documented code for %s',
    { timeout: SLOW_TEST_TIMEOUT_MS },
    async (_name, line, exitCode, words) => {
      const { stdout, stderr, exitCode: ended, load } = await runLoad(line)
      expect(stdout).toContain(words)
      expect({ ended, stderr: ended === exitCode ? '' : stderr }).toEqual({ ended: exitCode, stderr: '' })
      expect(load !== undefined).toBe(!/--(dry-run|help)/.test(line))
    },
  )
})

test('runs a closed loop for the given duration', { timeout: SLOW_TEST_TIMEOUT_MS }, async () => {
  const { load } = await runLoad(`${AT_EMULATOR} --duration 3s --max-tokens 1`)
  expect(load?.verdict).toBe('within-budgets')
  // Without --duration, the profile sends 24 requests.
  expect(load?.requests.sent).toBeGreaterThan(24)
})

test('never prints or writes a key in a load run', { timeout: SLOW_TEST_TIMEOUT_MS }, async () => {
  const key = emulators['EMULATOR']?.createAccount({ credits: '1000' }).key ?? ''
  const run = await runLoad(`--target EMULATOR --key ${key} --iterations 4 --json`)
  expect(run.load?.requests.ok).toBe(4)
  expect(run.stdout + run.stderr + JSON.stringify(run.load)).not.toContain(key.replace('sk-svc-', ''))
  expect(run.load?.command).toMatch(/ load -- --target http:\S+ --key "\$TOUCHSTONE_KEY" /)
})

test('a killed load run sends no more requests', { timeout: SLOW_TEST_TIMEOUT_MS }, async () => {
  let received = 0
  let child: ChildProcess | undefined
  const target = await startLoadTarget((_request, response) => {
    received += 1
    if (received === 5) child?.kill('SIGKILL')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"usage": {"completion_tokens": 1}}')
  })
  const line = `--target ${target.url} --key FUNDED --scenario chat --no-calibration --rate 20 --duration 60s`
  const { exitCode } = await runLoad(line, { onStart: (started) => void (child = started) })
  expect(exitCode).toBeNull()
  let before = -1
  const hasReceivedMore = () => {
    const isMore = received > before
    before = received
    return isMore
  }
  await expect.poll(hasReceivedMore, { interval: 1000, timeout: 20_000 }).toBe(false)
  await target.close()
})

const SCRIPTS = {
  'at its start': 'exec "$0.k6" "$@" </dev/null',
  'during the load': 'sleep 2 | "$0.k6" "$@"',
}

test.each(Object.entries(SCRIPTS))(
  'names the cause if a script closes the standard input of k6 %s',
  { timeout: SLOW_TEST_TIMEOUT_MS },
  async (_when, line) => {
    const script = join(await mkdtemp(join(tmpdir(), 'touchstone-script-')), 'script')
    await symlink(k6, `${script}.k6`)
    await writeFile(script, `#!/bin/sh\n${line}\n`, { mode: 0o755 })
    const { load } = await runLoad(`--k6 ${script} --rate 5 --duration 30s`)
    expect(load?.verdict).toMatch(/incomplete|harness-error/)
    expect(load?.reasons[0]).toContain('must pass its standard input to k6')
  },
)

test('Ctrl-C ends a load run with the results so far', { timeout: SLOW_TEST_TIMEOUT_MS }, async () => {
  const { load, exitCode, stdout } = await runLoad(
    '--target SLOW --key FUNDED --rate 5 --duration 60s --max-tokens 4',
    {
      onStart: (child) => {
        child.stderr?.on('data', (data: Buffer) => {
          if (data.toString().includes('running')) setTimeout(() => child.kill('SIGINT'), 6000)
        })
      },
    },
  )
  expect(exitCode).toBe(3)
  expect(load?.verdict).toBe('incomplete')
  expect(stdout).toContain('The run was interrupted.')
  expect(load?.requests.ok).toBeGreaterThan(0)
  expect(load?.durationMs).toBeLessThan(30_000)
})
