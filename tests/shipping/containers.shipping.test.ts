import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Network } from 'testcontainers'
import { afterEach, beforeAll, beforeEach, describe, expect, test, type TestContext, vi } from 'vitest'
import { TouchstoneContainer } from '../../emulator/control/testcontainers/touchstone-container.ts'
import {
  runCompose,
  tryCompose,
  runDocker,
  inspectObject,
  waitUntilHealthy,
  findEngineProblem,
  findContainerImageProblem,
} from './docker.ts'
import { readDashboardQueries, queryValues } from './prometheus.ts'
import { runProgram } from './run-program.ts'

// Containers may take several minutes to become healthy.
vi.setConfig({ testTimeout: 300_000 })

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Name of the emulator's image in docker-compose.yml. */
const EMULATOR_IMAGE = 'touchstone-emulator'
const RUNNER_IMAGE = 'touchstone-runner'
const FUNDED = 'sk-svc-touchstone-funded'
const KEYS = {
  TOUCHSTONE_KEY: FUNDED,
  TOUCHSTONE_KEY_NO_CREDITS: 'sk-svc-touchstone-empty',
  TOUCHSTONE_KEY_LIMITED: 'sk-svc-touchstone-limited',
}
/** Maximum total size of the layers that the Dockerfile adds to the base image. */
const MAX_ADDED_BYTES = 40_000_000

let reason: string | undefined

beforeAll(async () => {
  reason =
    (await findEngineProblem()) ??
    (await findContainerImageProblem('Dockerfile', 'NODE_IMAGE')) ??
    (await findContainerImageProblem('Dockerfile', 'GO_IMAGE'))
  if (reason !== undefined) return
  await runCompose({}, '--profile', 'conformance', 'build', 'emulator', 'conformance')
}, 1_200_000)

const needEngine = (context: TestContext) => (reason === undefined ? undefined : context.skip(reason))

/** A container with the options of docker-compose.yml (read-only, unprivileged) and a memory limit. */
class HardenedContainer extends TouchstoneContainer {
  protected override beforeContainerCreated(): Promise<void> {
    this.withDroppedCapabilities('ALL').withSecurityOpt('no-new-privileges').withResourcesQuota({ memory: 0.25 })
    this.hostConfig.ReadonlyRootfs = true
    return Promise.resolve()
  }
}

function openStream(url: string, maxTokens: number): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${FUNDED}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'o3-mini',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      max_tokens: maxTokens,
    }),
  })
}

describe('the image of the emulator', () => {
  test('the image of the emulator adds little to its base image, has labels, and does not run as root', async (context) => {
    needEngine(context)
    const format = ['--human=false', '--format', '{{.Size}} {{.CreatedBy}}']
    const layers = (await runDocker('history', ...format, EMULATOR_IMAGE)).stdout
    const ours = layers.split('\n').filter((line) => line.includes('/touchstone') || line.includes('COPY'))
    const bytes = ours.map((line) => Number.parseInt(line, 10)).reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(1_000_000)
    expect(bytes).toBeLessThan(MAX_ADDED_BYTES)
    expect(await inspectObject(EMULATOR_IMAGE, '{{.Config.User}}')).toBe('10001:10001')
    const title = '{{index .Config.Labels "org.opencontainers.image.title"}}'
    expect(await inspectObject(EMULATOR_IMAGE, title)).toBe('touchstone')
  })

  test('the emulator conforms in a read-only container with 256 MB', async (context) => {
    needEngine(context)
    await using emulator = await new HardenedContainer().start()
    expect(await inspectObject(emulator.getId(), '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.Memory}}')).toBe(
      'true 268435456',
    )
    const run = [process.execPath, 'cli/bin.js', 'conformance', '--target', emulator.url, '--json']
    const { exitCode, stdout } = await runProgram(run, { cwd: ROOT, env: KEYS })
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { verdict: 'conformant', target: { embedded: false } }])
    expect(await inspectObject(emulator.getId(), '{{.State.OOMKilled}} {{.State.Running}}')).toBe('false true')
  })

  test('the container completes a stream in progress on SIGTERM, and restarts', async (context) => {
    needEngine(context)
    await using emulator = await new TouchstoneContainer()
      .withLatency('ttft=10ms,itl=20ms')
      .withAnswerTokens('fill')
      .withAutoRemove(false)
      .start()
    const stream = await openStream(emulator.url, 20)
    const stopped = emulator.stop({ timeout: 30_000, remove: false })
    expect(await stream.text()).toMatch(/data: \[DONE\]\n\n$/)
    await stopped
    expect(await inspectObject(emulator.getId(), '{{.State.ExitCode}}')).toBe('0')
    await runDocker('start', emulator.getId())
    await waitUntilHealthy(emulator.getId())
    await runDocker('rm', '--force', '--volumes', emulator.getId())
  })

  test('the container is unhealthy if the emulator cannot be reached', async (context) => {
    needEngine(context)
    const often = ['--health-interval=1s', '--health-retries=1']
    const { stdout } = await runDocker('run', '--detach', ...often, EMULATOR_IMAGE, '--host', '127.0.0.2')
    const id = stdout.trim()
    try {
      await expect(waitUntilHealthy(id)).rejects.toThrow('the container is unhealthy')
    } finally {
      await runDocker('rm', '--force', '--volumes', id)
    }
  })
})

describe('TouchstoneContainer', () => {
  test('TouchstoneContainer creates private accounts, and loses them on restart', async (context) => {
    needEngine(context)
    await using emulator = await new TouchstoneContainer().withControlToken('open-sesame').start()
    const { key } = await emulator.createAccount({ credits: '1', rateLimit: { requestsPerMinute: 1 } })
    const models = () => fetch(`${emulator.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect([(await models()).status, (await models()).status]).toEqual([200, 429])
    expect(await emulator.balance(key)).toMatchObject({ startUnits: 10_000, heldUnits: 0 })
    expect(await emulator.auditClients(key)).toMatchObject({ requests: 2 })
    expect((await fetch(`${emulator.controlUrl}/accounts`)).status).toBe(401)
    await emulator.restart()
    expect((await models()).status).toBe(401)
    expect(await emulator.balance(emulator.keys.small)).toMatchObject({ startUnits: 10_000 })
  })

  test('TouchstoneContainer passes the options set through its methods to the emulator', async (context) => {
    needEngine(context)
    await using emulator = await new TouchstoneContainer(EMULATOR_IMAGE)
      .withSeed(7)
      .withClock('frozen:1750000000')
      .withAnswerTokens(5)
      .withLatency('instant')
      .withOption('error-body', 'detail')
      .withFault({ operation: 'speech', status: 503, times: 1 })
      .withFault('operation=images,status=500')
      .withFixtures([{ message: 'Say hello.', text: 'Hello, world!' }], { strict: true })
      .withLimitedRate({ requestsPerMinute: 1 })
      .withCreatedRate({ requestsPerMinute: 1, burst: 2 })
      .withFlags('--request-log', 'entries=1')
      .start()
    const ask = async (content: string, key: string = emulator.keys.funded) => {
      const response = await fetch(`${emulator.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content }] }),
      })
      return [response.status, await response.json()]
    }
    expect(await ask('Say hello.')).toMatchObject([
      200,
      { created: 1_750_000_000, choices: [{ message: { content: 'Hello, world!' } }] },
    ])
    expect(await ask('Anything else?')).toMatchObject([400, { detail: expect.stringContaining('No fixture') }])
    const limited = emulator.keys.limited
    expect([(await ask('Say hello.', limited))[0], (await ask('Say hello.', limited))[0]]).toEqual([200, 429])
    const { key } = await emulator.createAccount({ credits: '100' })
    const created = [await ask('Say hello.', key), await ask('Say hello.', key), await ask('Say hello.', key)]
    expect(created.map(([status]) => status)).toEqual([200, 200, 429])
    expect((await emulator.faults.list()).map(({ rule }) => rule.operation)).toEqual(['speech', 'images'])
    const log = await (await fetch(`${emulator.controlUrl}/request-log`)).json()
    expect(log).toMatchObject({ kept: 1 })
    const command = JSON.parse(await inspectObject(emulator.getId(), '{{json .Config.Cmd}}'))
    expect(command.join(' ')).toContain('--seed 7 --clock frozen:1750000000 --answer-tokens 5 --latency instant')
  })

  test('TouchstoneContainer reports the error of an emulator that does not start, and a missing image', async (context) => {
    needEngine(context)
    await expect(new TouchstoneContainer().withFlags('--no-such-flag').start()).rejects.toThrow(
      "Unknown option '--no-such-flag'",
    )
    await expect(new TouchstoneContainer('touchstone.invalid/none').start()).rejects.toThrow(
      'Cannot find or pull the image touchstone.invalid/none:latest. Build it in the repository of touchstone',
    )
  })
})

test('the example of emulator/control/testcontainers/README.md runs', async (context) => {
  needEngine(context)
  const example = /^```ts\n([^]*?)^```$/m.exec(
    await readFile(join(ROOT, 'emulator/control/testcontainers/README.md'), 'utf8'),
  )?.[1]
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-example-'))
  try {
    // package.shipping.test.ts verifies that the package entry is this module.
    const entry = join(ROOT, 'emulator/control/testcontainers/touchstone-container.ts')
    await writeFile(join(directory, 'credits.test.ts'), String(example).replace('touchstone/testcontainers', entry))
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
    const vitest = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run']
    const { exitCode, stdout, stderr } = await runProgram(vitest, { cwd: directory, env: { NO_COLOR: '1' } })
    expect([exitCode, stderr, stdout]).toEqual([0, '', expect.stringMatching(/Tests +1 passed/)])
  } finally {
    await rm(directory, { recursive: true })
  }
})

describe('the image of the runner', () => {
  test('a read-only container of the runner tests and loads the emulator, and writes results into a volume', async (context) => {
    needEngine(context)
    await using network = await new Network().start()
    await using emulator = await new HardenedContainer().withNetwork(network).withNetworkAliases('emulator').start()
    const volume = `results-${network.getName()}`
    const target = [
      '--env=TOUCHSTONE_TARGET=http://emulator:8080',
      ...Object.entries(KEYS).map(([name, key]) => `--env=${name}=${key}`),
    ]
    const hardened = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges']
    const places = ['--network', network.getName(), '--volume', `${volume}:/results`, '--tmpfs', '/tmp']
    const run = (...args: readonly string[]) =>
      runDocker('run', '--rm', ...hardened, ...places, ...target, RUNNER_IMAGE, ...args)
    try {
      expect((await run('conformance', '--out', '/results')).stdout).toContain('CONFORMANT  http://emulator:8080')
      expect((await run('load', '--scenario', 'smoke', '--out', '/results')).stdout).toContain('WITHIN BUDGETS')
      const report = await run('report', '/results/conformance.json', '/results/load-smoke.json', '--format', 'junit')
      expect(report.stdout).toContain('/results/load-smoke.junit.xml')
      expect(await inspectObject(emulator.getId(), '{{.State.OOMKilled}} {{.State.Running}}')).toBe('false true')
    } finally {
      await runDocker('volume', 'rm', '--force', volume)
    }
  })
})

describe('docker-compose.yml', () => {
  const env = {
    COMPOSE_PROJECT_NAME: `touchstone-test-${randomUUID()}`,
    TOUCHSTONE_PORT: '0',
    PROMETHEUS_PORT: '0',
    LOAD_DURATION: '6s',
  }

  async function idOf(service: string): Promise<string> {
    const labels = { project: env.COMPOSE_PROJECT_NAME, service }
    const filters = Object.entries(labels).map(([name, value]) => `--filter=label=com.docker.compose.${name}=${value}`)
    return (await runDocker('ps', '--quiet', ...filters)).stdout.trim()
  }

  async function addressOf(service: string, port: number): Promise<string> {
    return `http://${(await runDocker('port', await idOf(service), `${port}/tcp`)).stdout.trim()}`
  }

  beforeEach(async (context) => {
    needEngine(context)
    await runCompose(env, 'up', '--detach')
  })

  afterEach(async () => {
    if (reason !== undefined) return
    await runCompose(env, '--profile', 'conformance', '--profile', 'grafana', 'down', '--volumes')
  })

  test('docker-compose.yml starts only the emulator, on loopback', async () => {
    await waitUntilHealthy(await idOf('emulator'))
    const ours = `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`
    const running = await runDocker('ps', '--filter', ours, '--format', '{{.Label "com.docker.compose.service"}}')
    expect(running.stdout.trim()).toBe('emulator')
    const address = await addressOf('emulator', 8080)
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${address}/__emulator/health`)).status).toBe(200)
  })

  test('docker-compose.yml runs the conformance suite against the emulator', async () => {
    const evaluated = await runCompose(env, 'run', '--rm', '-T', 'conformance')
    expect(evaluated.stdout).toContain('CONFORMANT  http://emulator:8080')
  })

  test('docker-compose.yml loads the emulator, and Prometheus collects metrics of both', async (context) => {
    const lack = await findContainerImageProblem('docker-compose.yml', 'PROMETHEUS_IMAGE')
    if (lack !== undefined) return context.skip(lack)
    const { exitCode, stdout } = await tryCompose(env, 'run', '--rm', '-T', 'load')
    // On a busy machine, the load generator may fall behind its plan (exit code 3). It still sends its metrics.
    expect([exitCode, stdout]).toEqual([
      expect.toBeOneOf([0, 3]),
      expect.stringMatching(/^(WITHIN BUDGETS|INVALID) {2}mixed[^]* 120 ok · 0 failed/m),
    ])
    const url = await addressOf('prometheus', 9090)
    for (const [title, query] of await readDashboardQueries()) {
      expect([title, await queryValues(url, query)]).not.toEqual([title, []])
    }
    // Prometheus scrapes the emulator every five seconds.
    const counted = async () =>
      Math.max(0, ...(await queryValues(url, 'sum(touchstone_requests_total{job="emulator"})')))
    await expect.poll(counted, { timeout: 30_000 }).toBeGreaterThan(50)
  })
})
