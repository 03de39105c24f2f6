import { appendFile, cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findTestK6 } from '../../cli/testing/test-k6.ts'
import { findBuiltK6 } from '../../load/k6/find-k6.ts'
import { startEmulator, type Emulator } from '../../emulator/start-emulator.ts'
import { findFreePort } from '../../common/testing/free-port.ts'
import { runProgramOrThrow, runProgram } from './run-program.ts'
import { substituteExpressions, readAction, readWorkflow, type WorkflowStep } from './workflow.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CI = readWorkflow(join(ROOT, '.github/workflows/ci.yml'))
const RELEASE = readWorkflow(join(ROOT, '.github/workflows/release.yml'))
const EXAMPLE = readWorkflow(join(ROOT, 'examples/github-workflow.yml'))
const PULL_REQUEST = readWorkflow(join(ROOT, 'examples/github-pull-request.yml'))
const ACTION = readAction(join(ROOT, 'action.yml'))
const PINNED = /^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/

describe('the workflows', () => {
  const jobs = [...Object.values(CI.jobs), ...Object.values(RELEASE.jobs)]
  const steps: readonly WorkflowStep[] = [...jobs.flatMap((job) => job.steps), ...ACTION.runs.steps]

  test('workflows pin third-party actions to a commit', () => {
    const used = steps.flatMap(({ uses }) => uses ?? [])
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((uses) => !PINNED.test(uses))).toEqual([])
  })

  test('workflows have only read access to the repository, except the jobs that publish a release', () => {
    for (const { permissions } of [CI, RELEASE, EXAMPLE, PULL_REQUEST])
      expect(permissions).toEqual({ contents: 'read' })
    const more = Object.entries({ ...CI.jobs, ...RELEASE.jobs }).filter(
      ([, { permissions }]) => permissions !== undefined,
    )
    expect(Object.fromEntries(more.map(([name, { permissions }]) => [name, permissions]))).toEqual({
      tested: { actions: 'read', contents: 'read' },
      packages: { contents: 'read', 'id-token': 'write' },
      images: { contents: 'read', packages: 'write' },
      'image-manifests': { contents: 'read', packages: 'write' },
      'github-release': { contents: 'write' },
    })
  })

  test('workflows pass tokens only to the steps that publish and to the step that requires a successful CI run', () => {
    const secret = /secrets\.|github\.token/
    const given = steps.filter(({ env = {} }) => Object.values(env).some((value) => secret.test(value)))
    expect(given.map(({ run }) => run?.split(' ')[0])).toEqual([
      '.github/require-ci.sh',
      '.github/publish-packages.sh',
      '.github/publish-images.sh',
      '.github/publish-images.sh',
      'gh',
    ])
  })

  test('workflows put no untrusted value into a command', () => {
    expect(steps.filter(({ run }) => run?.includes('${{') === true)).toEqual([])
  })

  test('workflows call existing scripts', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const called = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name),
    )
    expect(called).toEqual(expect.arrayContaining(['check', 'conformance', 'prove', 'load', 'release']))
    expect(called.filter((name) => scripts[name ?? ''] === undefined)).toEqual([])
  })

  test('workflows pass only inputs that the action has', () => {
    const given = [EXAMPLE, PULL_REQUEST].flatMap(({ jobs }) =>
      Object.values(jobs).flatMap((job) => job.steps.flatMap((step) => Object.keys(step.with ?? {}))),
    )
    expect(given).toContain('target')
    expect(given.filter((name) => ACTION.inputs[name] === undefined)).toEqual([])
  })
})

describe('the action, with its commands run as on GitHub', () => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startEmulator()
  })
  afterAll(() => emulator.close())

  /**
   * Runs the steps of the action with inputs in an empty directory. Skips the installation step, because this checkout
   * already has its dependencies.
   */
  async function runAction(inputs: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>> = {}) {
    const cwd = await mkdtemp(join(tmpdir(), 'touchstone-action-'))
    const files = { GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'), GITHUB_OUTPUT: join(cwd, 'output') }
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
    await Promise.all(Object.values(files).map((path) => writeFile(path, '')))
    const values: Record<string, string> = { 'github.action_path': ROOT }
    for (const [name, { default: usual = '' }] of Object.entries(ACTION.inputs)) {
      values[`inputs.${name}`] = inputs[name] ?? usual
    }
    let last = { exitCode: null as number | null, stdout: '', stderr: '' }
    let said = ''
    for (const { id, run, env = {} } of ACTION.runs.steps.filter((step) => step.run?.startsWith('npm ci') !== true)) {
      if (run === undefined) continue
      const filled = Object.entries(env).map(([name, text]) => [name, substituteExpressions(text, values)])
      const command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', run]
      last = await runProgram(command, {
        cwd,
        env: { ...files, ...variables, PATH, ...Object.fromEntries(filled) },
      })
      said += last.stdout + last.stderr
      if (last.exitCode !== 0) break
      for (const [, name, value] of (await readFile(files.GITHUB_OUTPUT, 'utf8')).matchAll(/^(\S+?)=(.*)$/gm)) {
        values[`steps.${id}.outputs.${name}`] = value ?? ''
      }
    }
    const read = (path: string) => readFile(join(cwd, path), 'utf8').catch(() => undefined)
    return { exitCode: last.exitCode, said, summary: await read('summary.md'), read }
  }

  const keysOf = ({ keys }: Emulator) => ({
    key: keys.funded,
    'no-credits-key': keys.noCredits,
    'limited-key': keys.limited,
  })

  test('the action exits with 0 for a conforming deployment, with a summary, JUnit and a page', async () => {
    const run = await runAction({ target: emulator.url, ...keysOf(emulator), arguments: '--only=5\n--strict' })
    expect([run.exitCode, run.summary]).toEqual([
      0,
      expect.stringContaining(`Conformant (strict; only 5): \`${emulator.url}\``),
    ])
    expect(await run.read('touchstone-report/conformance.junit.xml')).toContain('<testsuite')
    expect(await run.read('touchstone-report/conformance.html')).toContain('<html')
    expect(JSON.parse((await run.read('touchstone-report/conformance.json')) ?? '')).toMatchObject({ strict: true })
    expect(run.said).not.toContain(emulator.keys.limited)
  })

  test('the action caches the k6 that a load run builds, by the hash of its sources', async () => {
    const steps = ACTION.runs.steps.filter((step) => step.if === "${{ inputs.load-scenario != '' }}")
    const cache = steps.find(({ uses }) => uses?.startsWith('actions/cache@') === true)?.with ?? {}
    expect(cache['key']).toContain('${{ steps.k6.outputs.sources }}')
    // The module cache of setup-go would need a file in the workspace, and the action is outside of it.
    const go = steps.find(({ uses }) => uses?.startsWith('actions/setup-go@') === true)?.with
    expect(go).toMatchObject({ cache: false })
    expect(go).not.toHaveProperty('cache-dependency-path')
    const home = join(tmpdir(), 'home')
    const { path } = await findBuiltK6({ cacheDirectory: '', environment: { HOME: home } })
    expect(path.startsWith(String(cache['path']).replace('~', home))).toBe(true)
    const hash = async (actionPath: string) => {
      const cwd = await mkdtemp(join(tmpdir(), 'touchstone-action-'))
      const env = { ACTION_PATH: actionPath, GITHUB_OUTPUT: join(cwd, 'output') }
      const run = steps.find(({ id }) => id === 'k6')?.run ?? ''
      await runProgramOrThrow(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', run], { cwd, env })
      return readFile(env.GITHUB_OUTPUT, 'utf8')
    }
    const copy = await mkdtemp(join(tmpdir(), 'touchstone-action-'))
    await cp(join(ROOT, 'scenarios/extension'), join(copy, 'scenarios/extension'), { recursive: true })
    const before = await hash(ROOT)
    expect(before).toMatch(/^sources=[0-9a-f]{40}\n$/)
    expect(await hash(copy)).toBe(before)
    await appendFile(join(copy, 'scenarios/extension/go.mod'), '\n')
    expect(await hash(copy)).not.toBe(before)
  })

  test('the action tests its own emulator for the target "emulator"', async () => {
    const run = await runAction({ target: 'emulator', arguments: '--only=4.5', formats: '' })
    expect([run.exitCode, run.summary]).toEqual([0, ''])
  })

  test.each([{}, { key: 'sk-svc-0123456789' }, { 'load-scenario': 'smoke' }])(
    'the action rejects an empty target: %j',
    async (inputs) => {
      const run = await runAction({ arguments: '--only=4.5', ...inputs })
      expect([run.exitCode, run.said, run.summary]).toEqual([
        2,
        expect.stringContaining('The input target is empty'),
        expect.stringContaining('The input target is empty'),
      ])
      expect(await run.read('touchstone-report/conformance.json')).toBeUndefined()
    },
  )

  test('the action rejects a value of conformance other than true and false', async () => {
    const run = await runAction({ target: 'emulator', conformance: 'True', 'load-scenario': 'smoke' })
    expect([run.exitCode, run.summary]).toEqual([2, expect.stringContaining('The input conformance is "True"')])
  })

  test('the workflow for pull requests starts a gateway, waits for it, and tests it', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'touchstone-gateway-'))
    const port = String(await findFreePort())
    const gateway = `#!/bin/sh\necho $$ > gateway.pid\nsleep 1\nexec '${process.execPath}' '${ROOT}/cli/bin.js' emulator --port ${port}\n`
    await writeFile(join(cwd, 'start-gateway.sh'), gateway, { mode: 0o755 })
    const steps = Object.values(PULL_REQUEST.jobs)[0]?.steps ?? []
    const commands = steps.flatMap((step) => (step.if === undefined ? (step.run ?? []) : []))
    expect(commands).toHaveLength(2)
    try {
      for (const command of commands) {
        await runProgramOrThrow(['bash', '-eo', 'pipefail', '-c', command.replaceAll('8080', port)], { cwd })
      }
      const inputs = Object.entries(steps.find((step) => step.with?.['target'] !== undefined)?.with ?? {})
      const given = inputs.map(([name, value]) => [name, String(value).replaceAll('8080', port)])
      const run = await runAction({ ...Object.fromEntries(given), arguments: '--only=5' })
      expect([run.exitCode, run.summary]).toEqual([0, expect.stringContaining('Conformant (only 5)')])
    } finally {
      process.kill(Number(await readFile(join(cwd, 'gateway.pid'), 'utf8')))
    }
  })

  test('the load run of the example workflow sends enough requests for its budgets', async () => {
    const given = Object.values(EXAMPLE.jobs)[0]?.steps[0]?.with ?? {}
    const lines = (name: string) =>
      String(given[name] ?? '')
        .split('\n')
        .filter((line) => line !== '')
    const budgets = lines('load-budgets').flatMap((budget) => ['--budget', budget])
    const args = ['--scenario', String(given['load-scenario']), ...budgets, ...lines('load-arguments'), '--dry-run']
    const { stdout } = await runProgram([process.execPath, 'cli/bin.js', 'load', ...args], { cwd: ROOT })
    expect(stdout).toMatch(/^Budget ttft.p90<=1000ms: needs 64 samples$/m) // If the run sent too few requests, the line would also contain the expected number.
  })

  test('the action adds the summary of a load run', async (context) => {
    const k6 = await findTestK6()
    if ('problem' in k6) return context.skip(k6.problem)
    const load = { 'load-scenario': 'smoke', 'load-budgets': 'chat.e2e.p50<=1ms' }
    const inputs = { target: emulator.url, ...keysOf(emulator), arguments: '--only=4.5', ...load }
    const run = await runAction(inputs, { TOUCHSTONE_K6: k6.path })
    // The run is incomplete: the p50 budget of one operation needs more samples than the scenario sends.
    expect([run.exitCode, run.summary]).toEqual([3, expect.stringMatching(/Conformant.*smoke/s)])
    expect(await run.read('touchstone-report/load-smoke.junit.xml')).toContain('<testsuite')
  })

  test('the load run of the action reads the address and the key from the target file', async (context) => {
    const k6 = await findTestK6()
    if ('problem' in k6) return context.skip(k6.problem)
    const file = join(await mkdtemp(join(tmpdir(), 'touchstone-action-')), 'gateway.json')
    await writeFile(file, JSON.stringify({ url: emulator.url, keys: { funded: 'GATEWAY_KEY' } }))
    const inputs = {
      target: file,
      conformance: 'false',
      'load-scenario': 'chat',
      'load-arguments': '--iterations 2\n--vus=1',
    }
    const run = await runAction(inputs, { GATEWAY_KEY: emulator.keys.funded, TOUCHSTONE_K6: k6.path })
    const document = JSON.parse((await run.read('touchstone-report/load-chat.json')) ?? '')
    expect(document).toMatchObject({ target: { url: emulator.url, embedded: false }, requests: { sent: 2, ok: 2 } })
  })

  test.each([
    [{ arguments: '--only=4.5\n--strickt' }, "Unknown option '--strickt'. Did you mean --strict?"],
    [{ conformance: 'false', 'load-scenario': 'chat', 'load-arguments': '--rate x' }, 'Invalid --rate: "x".'],
  ])('the action adds the message of a usage error to the summary: %j', async (inputs, message) => {
    const run = await runAction({ target: emulator.url, ...keysOf(emulator), ...inputs })
    expect([run.exitCode, run.said, run.summary]).toEqual([
      2,
      expect.stringContaining(message),
      expect.stringContaining(message),
    ])
  })

  test.each([
    ['an invalid budget', { budgets: 'chat.total.p50<=1ns' }, 2],
    ['a broken budget', { budgets: 'chat.total.p50<=0.001ms', arguments: '--only=4.5' }, 1],
    ['a missing key', { arguments: '--only=5', key: '' }, 3],
    ['inputs that select no run', { conformance: 'false' }, 2],
  ])('the action exits with the documented code for %s', async (_, inputs, exitCode) => {
    expect((await runAction({ target: emulator.url, ...keysOf(emulator), ...inputs })).exitCode).toBe(exitCode)
  })
})
