import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findTestK6 } from '../../cli/testing/test-k6.ts'
import { findFreePort } from '../../common/testing/free-port.ts'
import { readDashboardQueries, queryValues } from './prometheus.ts'
import { runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
/** Prometheus binary that `.ci/prometheus` unpacks. If it is missing, the tests use Prometheus from the PATH. */
const UNPACKED = join(CACHE, 'touchstone/prometheus/usr/bin/prometheus')
const PROMETHEUS = existsSync(UNPACKED) ? UNPACKED : 'prometheus'

const queries = await readDashboardQueries()

let directory = ''
let server: ChildProcess | undefined
let url = ''
let reason: string | undefined

beforeAll(async () => {
  const k6 = await findTestK6()
  if ('problem' in k6) {
    reason = k6.problem
    return
  }
  directory = await mkdtemp(join(tmpdir(), 'touchstone-prometheus-'))
  const port = await findFreePort()
  url = `http://127.0.0.1:${port}`
  server = await startPrometheus(port)
  if (server === undefined) {
    reason = 'Prometheus is not installed'
    return
  }
  const args = ['--scenario', 'mixed', '--rate', '10', '--duration', '6s', '--out', directory]
  const { exitCode, stderr } = await runProgram(
    [process.execPath, 'cli/bin.js', 'load', ...args, '--', '--out', 'experimental-prometheus-rw'],
    {
      cwd: ROOT,
      // These variables have the values of docker-compose.yml, except for the address.
      env: {
        TOUCHSTONE_K6: k6.path,
        K6_PROMETHEUS_RW_SERVER_URL: `${url}/api/v1/write`,
        K6_PROMETHEUS_RW_TREND_STATS: 'p(50),p(90),p(99)',
        K6_PROMETHEUS_RW_PUSH_INTERVAL: '1s',
      },
    },
  )
  // On a busy machine the run is invalid (3), but its samples are as good for the panels.
  if (exitCode !== 0 && exitCode !== 3) throw new Error(`The load run ended with ${exitCode}: ${stderr}`)
}, 300_000)

afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill()
    await once(server, 'close')
  }
  if (directory !== '') await rm(directory, { recursive: true, force: true })
})

test.for(queries)('%s: the panel %s shows data of a run', async ([, query], context) => {
  if (reason !== undefined) return context.skip(reason)
  expect(await queryValues(url, query)).not.toEqual([])
})

/**
 * Starts Prometheus and waits until it is ready.
 * @returns undefined if Prometheus is not installed
 */
async function startPrometheus(port: number): Promise<ChildProcess | undefined> {
  // The configuration has no scrape targets, because k6 pushes all samples.
  const config = join(directory, 'prometheus.yml')
  await writeFile(config, 'scrape_configs: []\n')
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${directory}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
    ],
    { stdio: 'ignore' },
  )
  const isThere = await new Promise<boolean>((resolve) => {
    child.on('spawn', () => resolve(true))
    child.on('error', () => resolve(false))
  })
  if (!isThere) return undefined
  for (;;) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return child
    if (child.exitCode !== null) throw new Error(`${PROMETHEUS} ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
