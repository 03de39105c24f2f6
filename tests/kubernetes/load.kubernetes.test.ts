import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, type TestContext } from 'vitest'
import { runProgram } from '../shipping/run-program.ts'
import type { LoadDocument } from '../../reports/load-document.ts'
import { Cluster, findClusterProblem } from './cluster.ts'
import { TestOperator } from './test-operator.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NODES = 3
// Building Kubernetes takes most of this time if the caches are empty.
const START_MS = 3_000_000
const TEST_MS = 400_000
const KEY = 'sk-svc-touchstone-funded'
const RUNNERS = 'k6_cr=touchstone,runner=true'
const PODS = '/api/v1/namespaces/default/pods'

let problem: string | undefined
let cluster: Cluster
/** Stops the cluster, if it was started. */
let stopCluster: () => Promise<void> = () => Promise.resolve()
/** Directory with copies of the manifests, in which the commands of the guide run. */
let directory: string
/** Directory on this machine for the results, which all nodes share as a volume. */
let volume: string
let stopped: AbortController

beforeAll(async () => {
  problem = await findClusterProblem()
  if (problem !== undefined) return
  cluster = await Cluster.start(NODES)
  stopCluster = () => cluster[Symbol.asyncDispose]()
  await cluster.kubectl('apply', '-f', join(ROOT, 'tests/kubernetes/testrun-crd.yaml'))
  await cluster.kubectl('wait', 'crd/testruns.k6.io', '--for=condition=Established', '--timeout=60s')
  await cluster.kubectl('create', 'secret', 'generic', 'touchstone-keys', `--from-literal=funded=${KEY}`)
}, START_MS)

afterAll(() => stopCluster(), START_MS)

beforeEach(async () => {
  if (problem !== undefined) return
  stopped = new AbortController()
  directory = await mkdtemp(join(tmpdir(), 'touchstone-guide-'))
  volume = await mkdtemp(join(tmpdir(), 'touchstone-results-'))
  await mkdir(join(directory, 'scenarios/deploy'), { recursive: true })
  for (const name of ['results.yaml', 'testrun.yaml', 'testrun-stdout.yaml']) {
    const manifest = await readFile(join(ROOT, 'scenarios/deploy', name), 'utf8')
    const small = manifest
      .replace('parallelism: 4', `parallelism: ${NODES}`)
      .replace("value: '200'", "value: '45'")
      .replace("value: '300'", "value: '24'")
    await writeFile(join(directory, 'scenarios/deploy', name), small)
  }
})

afterEach(async () => {
  if (problem !== undefined) return
  stopped.abort()
  const all = ['testrun,pod,pvc,pv,configmap', '--all', '--ignore-not-found', '--timeout=60s']
  await cluster.kubectl('delete', ...all, '--force', '--grace-period=0')
  await rm(directory, { recursive: true })
  await rm(volume, { recursive: true })
}, TEST_MS)

/** Creates the volume for the results: a directory on this machine that all nodes share. */
async function createVolume(kind: 'local' | 'hostPath'): Promise<void> {
  const anyNode =
    '{required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}]}]}}'
  await cluster.apply(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: results}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  persistentVolumeReclaimPolicy: Retain
  ${kind}: {path: ${volume}}
  nodeAffinity: ${anyNode}
`)
}

/** Reads two shell blocks of the guide: `run` starts a run with a volume, and `collect` collects printed results. */
async function readGuide(): Promise<{ readonly run: string; readonly collect: string }> {
  const guide = await readFile(join(ROOT, 'scenarios/deploy/README.md'), 'utf8')
  const [run = '', collect = ''] = [...guide.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block = '']) => block)
  return { run, collect }
}

/**
 * Returns the lines of commands from the first line that contains `from` to the line before the first that contains
 * `to`.
 */
function between(commands: string, from: string, to: string): string {
  const lines = commands.split('\n')
  const start = lines.findIndex((line) => line.includes(from))
  const end = lines.findIndex((line) => line.includes(to))
  if (start < 0 || end <= start) throw new Error(`The guide has no commands between ${from} and ${to}.`)
  return `${lines.slice(start, end).join('\n')}\n`
}

/** Runs commands of the guide in the directory with the manifests. */
async function runShell(commands: string, startInS = 40): Promise<string> {
  const env = { PATH: `${cluster.programs}${delimiter}${process.env['PATH'] ?? ''}` }
  const soon = commands.replace('+ 120', `+ ${startInS}`).replaceAll('sleep 5', 'sleep 1')
  const { stdout, stderr } = await runProgram(['bash', '-c', soon], { cwd: directory, env })
  return stdout + stderr
}

function runOperator(): Promise<string> {
  return new TestOperator(cluster.api, stopped.signal).run('touchstone')
}

/** Merges the results of the segments, and returns the merged document with the exit code of the command. */
async function mergeResults(): Promise<{ readonly exitCode: number | null; readonly document: LoadDocument }> {
  const files = (await readdir(join(directory, 'results'))).map((name) => join('results', name))
  // Limits that even a single segment meets, although it has few samples and the machine may delay every request.
  const limits = ['ttft.p50<=60s', 'start_lag.p50<=60s', 'failed.rate<=1%']
  const budgets = [...limits.flatMap((limit) => ['--budget', limit]), '--out', 'merged']
  const command = [join(cluster.programs, 'touchstone'), 'report', 'merge', ...files, ...budgets]
  const { exitCode, stderr } = await runProgram(command, { cwd: directory })
  const path = join(directory, 'merged/load-chat-stream.json')
  const text = await readFile(path, 'utf8').catch(() => Promise.reject(new Error(stderr)))
  return { exitCode, document: JSON.parse(text) as LoadDocument } // The cast is safe: the load command serializes this type.
}

/** Waits until the emulator has charged requests of the run. */
async function waitForLoad(before: string): Promise<void> {
  await expect
    .poll(async () => (await cluster.readLedger()).charged, { timeout: 120_000, interval: 300 })
    .not.toBe(before)
}

/**
 * Expects that the ledger holds nothing, and returns the units (0.0001 credit) that the emulator has charged since a
 * previous amount.
 */
async function readCharge(before: string): Promise<number> {
  await expect.poll(async () => Number((await cluster.readLedger()).held)).toBe(0)
  const { charged } = await cluster.readLedger()
  return Math.round((Number(charged) - Number(before)) * 10_000)
}

/**
 * Expects that the results of a run without one of its segments have the verdict `incomplete` and the exit code 3.
 * @returns the codes of the findings
 */
function expectIncomplete({ exitCode, document }: Awaited<ReturnType<typeof mergeResults>>): readonly string[] {
  expect(document.verdict).toBe('incomplete')
  expect(exitCode).toBe(3)
  return (document.findings ?? []).map(({ code }) => code)
}

const needCluster = (context: TestContext) => (problem === undefined ? undefined : context.skip(problem))

test(
  'the merged results of a run that follows the guide equal the charges of the ledger',
  { timeout: TEST_MS },
  async (context) => {
    needCluster(context)
    await createVolume('local')
    const before = (await cluster.readLedger()).charged
    const { run } = await readGuide()
    const ending = runOperator()
    const output = await runShell(between(run, 'results.yaml', 'touchstone report merge'))
    expect(output).toContain('\nfinished\n')
    expect(await ending).toBe('finished')
    const { exitCode, document } = await mergeResults()
    expect(document.segment).toEqual({ merged: NODES })
    expect(document.requests).toMatchObject({ failed: 0, dropped: 0 })
    expect(document.requests.sent).toBe(document.requests.planned)
    expect(Math.round(Number(document.credits.counted) * 10_000)).toBe(await readCharge(before))
    expect([document.verdict, exitCode]).toEqual(['within-budgets', 0])
    const parts = await Promise.all((await readdir(volume)).map((name) => readFile(join(volume, name), 'utf8')))
    const starts = parts.map((part) => (JSON.parse(part) as { startedAtUnixMs: number }).startedAtUnixMs)
    expect(new Set(starts.map(Math.round)).size).toBe(1)
  },
)

test('merges a run without a volume from the printed results', { timeout: TEST_MS }, async (context) => {
  needCluster(context)
  const before = (await cluster.readLedger()).charged
  const { run, collect } = await readGuide()
  const start = between(run, 'kubectl create configmap', 'kubectl cp').replace('testrun.yaml', 'testrun-stdout.yaml')
  const ending = runOperator()
  expect(await runShell(start)).toContain('\nfinished\n')
  expect(await ending).toBe('finished')
  await runShell(collect)
  const { exitCode, document } = await mergeResults()
  expect(document.segment).toEqual({ merged: NODES })
  expect(Math.round(Number(document.credits.counted) * 10_000)).toBe(await readCharge(before))
  expect([document.verdict, exitCode]).toEqual(['within-budgets', 0])
})

test('a run with a killed process is incomplete', { timeout: TEST_MS }, async (context) => {
  needCluster(context)
  await createVolume('local')
  const before = (await cluster.readLedger()).charged
  const { run } = await readGuide()
  const ending = runOperator()
  const shell = runShell(between(run, 'results.yaml', 'touchstone report merge'))
  await waitForLoad(before)
  const [pod] = await cluster.api.list(PODS, 'job-name=touchstone-2')
  const id = pod?.status?.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? ''
  await cluster.killContainer(pod?.spec?.nodeName ?? '', id)
  // The operator treats failed and successful processes alike.
  expect(await ending).toBe('finished')
  await shell
  const merged = await mergeResults()
  expect(expectIncomplete(merged)).toContain('segments-missing')
  expect(merged.document.segment).toEqual({ merged: NODES - 1 })
})

test('a deleted run stops, and its results are incomplete', { timeout: TEST_MS }, async (context) => {
  needCluster(context)
  await createVolume('local')
  const before = (await cluster.readLedger()).charged
  const { run } = await readGuide()
  const ending = runOperator()
  await runShell(between(run, 'results.yaml', 'for _ in'))
  await waitForLoad(before)
  await runShell('kubectl delete -f scenarios/deploy/testrun.yaml')
  expect(await ending).toBe('deleted')
  await expect.poll(async () => (await cluster.api.list(PODS, RUNNERS)).length).toBe(0)
  const { charged } = await cluster.readLedger()
  await runShell(between(run, 'kubectl cp', 'touchstone report merge'))
  const merged = await mergeResults()
  expect(expectIncomplete(merged)).toContain('segment-incomplete')
  expect(merged.document.segment).toEqual({ merged: NODES })
  expect(merged.document.requests.sent).toBeLessThan(merged.document.requests.planned ?? 0)
  await sleep(2000)
  expect((await cluster.readLedger()).charged).toBe(charged)
})

test('a volume that cannot be written ends the run before the first request', { timeout: TEST_MS }, async (context) => {
  needCluster(context)
  // The directory belongs to root, because Kubernetes does not apply fsGroup to a hostPath volume.
  await createVolume('hostPath')
  const before = (await cluster.readLedger()).charged
  const { run } = await readGuide()
  const ending = runOperator()
  const output = await runShell(between(run, 'results.yaml', 'kubectl cp'))
  expect(output).toContain('\nerror\n')
  expect(await ending).toBe('error')
  const logs = await cluster.kubectl('logs', '-l', 'k6_cr=touchstone', '-c', 'check-results')
  expect(logs.stdout).toContain('User 65532 cannot write to the volume of /results.')
  expect((await cluster.readLedger()).charged).toBe(before)
})

test('processes that start after the agreed time send nothing', { timeout: TEST_MS }, async (context) => {
  needCluster(context)
  const before = (await cluster.readLedger()).charged
  const { run, collect } = await readGuide()
  const start = between(run, 'kubectl create configmap', 'kubectl cp').replace('testrun.yaml', 'testrun-stdout.yaml')
  const ending = runOperator()
  expect(await runShell(start, 0)).toContain('\nfinished\n')
  expect(await ending).toBe('finished')
  const logs = await cluster.kubectl('logs', '-l', RUNNERS)
  expect(logs.stdout).toContain('before this run was ready: choose a later time.')
  await runShell(collect)
  expectIncomplete(await mergeResults())
  expect((await cluster.readLedger()).charged).toBe(before)
})

// Last test, because the node stays down.
test('a run with a lost node is incomplete', { timeout: TEST_MS }, async (context) => {
  needCluster(context)
  await createVolume('local')
  const before = (await cluster.readLedger()).charged
  const { run } = await readGuide()
  const ending = runOperator()
  const shell = runShell(between(run, 'results.yaml', 'kubectl cp'))
  await waitForLoad(before)
  const pods = await cluster.api.list(PODS, RUNNERS)
  const node = pods.map(({ spec }) => spec?.nodeName ?? '').find((name) => name !== 'node1') ?? ''
  await cluster.killNode(node)
  expect(await ending).toBe('finished')
  expect(await shell).toContain('\nfinished\n')
  // The pod that serves the results may have been on the lost node. The volume is on this machine.
  await runProgram(['cp', '-r', volume, join(directory, 'results')], { cwd: directory })
  const merged = await mergeResults()
  expect(expectIncomplete(merged)).toContain('segments-missing')
  expect(merged.document.segment).toEqual({ merged: NODES - 1 })
})
