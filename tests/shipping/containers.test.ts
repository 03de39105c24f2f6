import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test, type TestContext, vi } from 'vitest'
import { buildImage, compose, docker, HARDENED, inspect, startContainer, untilHealthy, whyNoEngine } from './docker.ts'
import { runProgram } from './run-program.ts'

// Images are built in the first, and containers take their time to be healthy.
vi.setConfig({ testTimeout: 300_000 })

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FUNDED = 'sk-svc-touchstone-funded'
const KEYS = {
  TOUCHSTONE_KEY: FUNDED,
  TOUCHSTONE_KEY_NO_CREDITS: 'sk-svc-touchstone-empty',
  TOUCHSTONE_KEY_LIMITED: 'sk-svc-touchstone-limited',
}
const PORT = ['--publish', '127.0.0.1::8080']
/** What our layers may add to the base image: packages and our own. */
const MOST_ADDED_BYTES = 40_000_000

let reason: string | undefined
let emulatorImage = ''
let runnerImage = ''

beforeAll(async () => {
  reason = await whyNoEngine()
  if (reason !== undefined) return
  emulatorImage = await buildImage('emulator')
  runnerImage = await buildImage('runner')
}, 1_200_000)

const needEngine = (context: TestContext) => (reason === undefined ? undefined : context.skip(reason))

describe('the image of the emulator', () => {
  test('is small beside its base, has a label, and no root', async (context) => {
    needEngine(context)
    const layers = (await docker('history', '--human=false', '--format', '{{.Size}} {{.CreatedBy}}', emulatorImage))
      .stdout
    const ours = layers.split('\n').filter((line) => line.includes('/touchstone') || line.includes('COPY'))
    const bytes = ours.map((line) => Number.parseInt(line, 10)).reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(1_000_000)
    expect(bytes).toBeLessThan(MOST_ADDED_BYTES)
    expect(await inspect(emulatorImage, '{{.Config.User}}')).toBe('10001:10001')
    expect(await inspect(emulatorImage, '{{index .Config.Labels "org.opencontainers.image.title"}}')).toBe('touchstone')
  })

  test('keeps the contract from outside, read-only and with 256 MB', async (context) => {
    needEngine(context)
    await using container = await startContainer(emulatorImage, [...PORT, '--memory=256m'])
    await untilHealthy(container)
    const run = [process.execPath, 'cli/bin.js', 'conformance', '--target', await container.url(8080), '--json']
    const { exitCode, stdout } = await runProgram(run, { cwd: ROOT, env: KEYS })
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { verdict: 'conformant', target: { embedded: false } }])
    expect(await inspect(container.id, '{{.State.OOMKilled}}')).toBe('false')
  })

  test('ends a stream that is under way before it leaves, and comes back', async (context) => {
    needEngine(context)
    const slowly = ['--latency', 'ttft=10ms,gap=20ms', '--answer-tokens', 'fill']
    await using container = await startContainer(emulatorImage, PORT, slowly)
    await untilHealthy(container)
    const stream = await fetch(`${await container.url(8080)}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${FUNDED}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'o3-mini',
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
        max_tokens: 100,
      }),
    })
    const stopped = docker('stop', '--time', '30', container.id)
    expect(await stream.text()).toMatch(/data: \[DONE\]\n\n$/)
    await stopped
    expect(await inspect(container.id, '{{.State.ExitCode}}')).toBe('0')
    await docker('start', container.id)
    await untilHealthy(container)
    expect((await fetch(`${await container.url(8080)}/__emulator/health`)).status).toBe(200)
  })

  test('is unhealthy where it cannot be reached', async (context) => {
    needEngine(context)
    await using container = await startContainer(
      emulatorImage,
      ['--health-interval=1s', '--health-retries=1'],
      ['--host', '127.0.0.2'],
    )
    await expect(untilHealthy(container)).rejects.toThrow('the container is unhealthy')
  })
})

describe('the image of the runner', () => {
  test('judges and loads the emulator beside it, read-only, and leaves its results in a volume', async (context) => {
    needEngine(context)
    const name = `touchstone-test-${randomUUID()}`
    await docker('network', 'create', name)
    try {
      await using emulator = await startContainer(emulatorImage, ['--network', name, '--network-alias', 'emulator'])
      await untilHealthy(emulator)
      const env = Object.entries({ ...KEYS, TOUCHSTONE_TARGET: 'http://emulator:8080' }).map(
        ([key, value]) => `--env=${key}=${value}`,
      )
      const places = ['--network', name, '--volume', `${name}:/results`, '--tmpfs', '/tmp']
      const run = (...args: readonly string[]) =>
        docker('run', '--rm', ...HARDENED, ...places, ...env, runnerImage, ...args)
      expect((await run('conformance', '--out', '/results')).stdout).toContain('CONFORMANT  http://emulator:8080')
      expect((await run('load', '--scenario', 'smoke', '--out', '/results')).stdout).toContain('WITHIN BUDGETS')
      const report = await run('report', '/results/conformance.json', '/results/load-smoke.json', '--format', 'junit')
      expect(report.stdout).toContain('/results/load-smoke.junit.xml')
    } finally {
      await docker('network', 'rm', name)
      await docker('volume', 'rm', '--force', name)
    }
  })
})

describe('docker-compose.yml', () => {
  test('brings the emulator up by itself, and judges it', async (context) => {
    needEngine(context)
    await docker('tag', emulatorImage, 'touchstone-emulator')
    await docker('tag', runnerImage, 'touchstone-runner')
    const env = { COMPOSE_PROJECT_NAME: `touchstone-test-${randomUUID()}`, TOUCHSTONE_PORT: '0' }
    try {
      await compose(env, 'up', '--detach', '--no-build')
      const ours = `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`
      const running = await docker('ps', '--filter', ours, '--format', '{{.Label "com.docker.compose.service"}}')
      expect(running.stdout.trim()).toBe('emulator')
      const judged = await compose(env, '--profile', 'conformance', 'run', '--rm', '-T', 'conformance')
      expect(judged.stdout).toContain('CONFORMANT  http://emulator:8080')
    } finally {
      await compose(env, '--profile', 'conformance', 'down', '--volumes')
    }
  })
})
