import type { ChildProcess } from 'node:child_process'
import { mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/start-emulator.ts'
import { startEmulatorGateway, startLoadTarget } from './testing/load-targets.ts'
import { getTestK6Path } from './testing/test-k6.ts'
import { findUnusedAddress, type LocalServer } from '../common/testing/local-server.ts'
import { buildEmulatorOptions, type LoadRunOptions, PERMISSIVE_LAG_BUDGET, useK6 } from './testing/run-load.ts'

const run = useK6()
let directory = ''
const emulators: Record<string, Emulator> = {}
const targets: Record<string, LocalServer> = {}
let nothing = ''
let brokenK6 = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  emulators['EMULATOR'] = await startEmulator()
  emulators['SLOW'] = await startEmulator(buildEmulatorOptions({ latency: 'ttft=400ms,itl=1ms' }))
  targets['GATEWAY'] = await startEmulatorGateway(emulators['EMULATOR'].url)
  targets['RESETS'] = await startLoadTarget((request) => request.socket.resetAndDestroy())
  let requested = 0
  targets['FLAKY'] = await startLoadTarget((_request, response) => {
    requested += 1
    if (requested % 3 === 0) response.writeHead(503).end()
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}')
  })
  nothing = await findUnusedAddress()
  brokenK6 = join(directory, 'broken-k6')
  const script =
    '#!/bin/sh\n[ "$1" = version ] && echo "k6 with k6/x/touchstone" && exit 0\necho "out of luck" >&2\nexit 3\n'
  await writeFile(brokenK6, script, { mode: 0o755 })
})

afterAll(async () => {
  for (const one of [...Object.values(targets), ...Object.values(emulators)]) await one[Symbol.asyncDispose]()
})

function known(): Record<string, string> {
  const { funded = '' } = emulators['EMULATOR']?.keys ?? {}
  const servers = Object.entries({ ...emulators, ...targets }).map(([name, { url }]) => [name, url])
  return { NOTHING: nothing, FUNDED: funded, ...Object.fromEntries(servers) }
}

const runLoad = (line: string, options: LoadRunOptions = {}) => run(line, { known: known(), ...options })

const AT_EMULATOR = '--target EMULATOR --key FUNDED'

describe('exit codes', () => {
  test.each([
    ['a met budget', `${AT_EMULATOR} --budget chat-stream.e2e.p50<=10s`, 0, 'met its budget'],
    [
      'planned arrivals',
      `${AT_EMULATOR} --rate 20 --duration 1s --budget dropped.count<=0 ${PERMISSIVE_LAG_BUDGET}`,
      0,
      'of this run',
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
      'the profile breakpoint',
      `--target SLOW --key FUNDED --profile breakpoint --rate 20 --duration 60s --max-tokens 1 --budget ttft.p50<=1ms ${PERMISSIVE_LAG_BUDGET}`,
      1,
      'The run exceeded a budget after',
    ],
    [
      'a plan that a single VU cannot keep',
      '--target SLOW --key FUNDED --rate 20 --duration 2s --vus 1 --max-tokens 1',
      3,
      'INVALID',
    ],
    ['a target that resets connections', '--target RESETS --key FUNDED --scenario chat --no-calibration', 3, '× reset'],
    ['an unreachable target', '--target NOTHING --key FUNDED', 3, 'connection refused'],
    ['an invalid key', '--target EMULATOR --key sk-svc-who-is-this', 3, 'rejected the key (status 401)'],
    ['--dry-run', '--scenario chat --dry-run', 0, 'would send 24 requests'],
  ])('exits with the documented code for %s', async (_name, line, exitCode, words) => {
    const { stdout, stderr, exitCode: ended, load } = await runLoad(line)
    expect(stdout).toContain(words)
    expect({ ended, stderr: ended === exitCode ? '' : stderr }).toEqual({ ended: exitCode, stderr: '' })
    expect(load !== undefined).toBe(!/--(dry-run|help)/.test(line))
  })
})

test('runs a closed loop for the given duration', async () => {
  const { load } = await runLoad(`${AT_EMULATOR} --duration 3s --max-tokens 1`)
  expect(load?.verdict).toBe('within-budgets')
  // Without --duration, the profile sends 24 requests.
  expect(load?.requests.sent).toBeGreaterThan(24)
})

test('a killed load run sends no more requests', async () => {
  let received = 0
  let child: ChildProcess | undefined
  await using target = await startLoadTarget((_request, response) => {
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
})

const SCRIPTS = {
  'at its start': 'exec "$0.k6" "$@" </dev/null',
  'during the load': 'sleep 2 | "$0.k6" "$@"',
}

test.each(Object.entries(SCRIPTS))(
  'names the cause if a script closes the standard input of k6 %s',
  async (_when, line) => {
    const script = join(await mkdtemp(join(tmpdir(), 'touchstone-script-')), 'script')
    await symlink(await getTestK6Path(), `${script}.k6`)
    await writeFile(script, `#!/bin/sh\n${line}\n`, { mode: 0o755 })
    const { load } = await runLoad('--rate 5 --duration 30s', { env: { TOUCHSTONE_K6: script } })
    expect(load?.verdict).toMatch(/incomplete|harness-error/)
    expect(load?.reasons[0]).toContain('must pass its standard input to k6')
  },
)

test('exits with 4 if k6 writes no result', async () => {
  const { stdout, exitCode } = await runLoad('--scenario chat', { env: { TOUCHSTONE_K6: brokenK6 } })
  expect(stdout).toContain('k6 exited with code 3 without a usable result: out of luck')
  expect(exitCode).toBe(4)
})

test('Ctrl-C ends a load run with the results so far', async () => {
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
