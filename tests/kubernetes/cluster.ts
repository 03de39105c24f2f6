import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findEngineProblem, findContainerImageProblem, runDocker } from '../shipping/docker.ts'
import { type ProgramResult, runProgramOrThrow, runProgram } from '../shipping/run-program.ts'
import { KubernetesApi } from './kubernetes-api.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCE = fileURLToPath(new URL('cluster', import.meta.url))
const DOCKERFILE = 'scenarios/deploy/Dockerfile'
const PROGRAMS = ['containerd', 'ctr', 'runc', 'iptables', 'ip', 'nsenter', 'openssl', 'go']
/** Address of the first node, at which pods reach this machine. */
const HOST = '10.10.0.1'
const EMULATOR_PORT = 8080

/** Describes why this machine cannot run a cluster. Returns undefined if it can. */
export async function findClusterProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a cluster needs Linux, and root'
  for (const program of PROGRAMS) {
    const { exitCode } = await runProgram(['sh', '-c', `command -v ${program}`], { cwd: ROOT })
    if (exitCode !== 0) return `${program} is not installed: .ci/kubernetes installs what a cluster needs`
  }
  if (!existsSync('/usr/lib/cni/bridge')) return 'no network plugins are installed: .ci/kubernetes installs them'
  return (
    (await findEngineProblem()) ??
    (await findContainerImageProblem(DOCKERFILE, 'GO_IMAGE')) ??
    (await findContainerImageProblem(DOCKERFILE, 'DEBIAN_IMAGE'))
  )
}

/**
 * A Kubernetes cluster on this machine, in a separate network namespace, with an emulator in the service `emulator`.
 * Its programs are built once and cached in the user's cache directory.
 */
export class Cluster implements AsyncDisposable {
  readonly api: KubernetesApi
  /** Directory that contains `kubectl` and `touchstone`. */
  readonly programs: string
  readonly #environment: Readonly<Record<string, string>>
  readonly #state: string

  private constructor(state: string, environment: Readonly<Record<string, string>>) {
    this.#state = state
    this.#environment = environment
    this.programs = join(state, 'bin')
    this.api = new KubernetesApi(join(state, 'api'))
  }

  static async start(nodes: number): Promise<Cluster> {
    const programs = await buildPrograms()
    const state = await mkdtemp(join(tmpdir(), 'touchstone-cluster-'))
    const images = join(state, 'images.tar')
    await saveImages(programs, images)
    const name = `touchstone-${process.pid}`
    const environment = { NAME: name, STATE: state, NODES: String(nodes), PROGRAMS: programs, IMAGES: images }
    const cluster = new Cluster(state, environment)
    try {
      await runProgramOrThrow([join(SOURCE, 'up')], { cwd: ROOT, env: environment })
      await cluster.#startEmulator()
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  /**
   * Runs `kubectl`.
   * @throws Error with the command's whole output
   */
  kubectl(...args: readonly string[]): Promise<ProgramResult> {
    return runProgramOrThrow([join(this.programs, 'kubectl'), ...args], { cwd: ROOT })
  }

  async apply(manifest: string): Promise<void> {
    const path = join(this.#state, 'manifest.yaml')
    await writeFile(path, manifest)
    await this.kubectl('apply', '--validate=strict', '-f', path)
  }

  /** Returns the credits of the default account that the emulator has charged, and those that it currently holds. */
  async readLedger(): Promise<{ readonly charged: string; readonly held: string }> {
    const url = `http://${HOST}:${EMULATOR_PORT}/__emulator/accounts`
    const { stdout } = await this.#inNetwork('curl', '-sS', url)
    // The cast is safe: this is the emulator's list of accounts.
    const { accounts } = JSON.parse(stdout) as { readonly accounts: readonly { charged: string; held: string }[] }
    const [account] = accounts
    if (account === undefined) throw new Error('The emulator has no account.')
    return account
  }

  async killContainer(node: string, id: string): Promise<void> {
    await runProgramOrThrow(['ctr', '-a', this.#socketOf(node), '-n', 'k8s.io', 'tasks', 'kill', '-s', 'SIGKILL', id], {
      cwd: ROOT,
    })
  }

  /** Simulates a power failure of a node: kills its kubelet, its containers and its containerd. */
  async killNode(node: string): Promise<void> {
    const number = node.replace('node', '')
    await this.#kill(`kubelet${number}`)
    const client = ['ctr', '-a', this.#socketOf(node), '-n', 'k8s.io']
    const { stdout } = await runProgramOrThrow([...client, 'tasks', 'ls', '-q'], { cwd: ROOT })
    for (const id of stdout.split('\n').filter(Boolean)) {
      await runProgram([...client, 'tasks', 'kill', '-s', 'SIGKILL', id], { cwd: ROOT })
    }
    await this.#kill(`containerd${number}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runProgram([join(SOURCE, 'down')], { cwd: ROOT, env: this.#environment })
  }

  async #startEmulator(): Promise<void> {
    const command = [
      'cli/bin.js',
      'emulator',
      '--host',
      '0.0.0.0',
      '--port',
      String(EMULATOR_PORT),
      '--latency',
      'ttft=50ms,itl=5ms',
    ]
    const start = `exec setsid "$@" >${this.#state}/logs/emulator 2>&1 </dev/null & echo $! >${this.#state}/pids/emulator`
    await this.#inNetwork('sh', '-c', start, 'sh', process.execPath, ...command)
    const health = `http://${HOST}:${EMULATOR_PORT}/__emulator/health`
    await this.#inNetwork('curl', '-sS', '--retry', '30', '--retry-connrefused', '-o', '/dev/null', health)
    await this.apply(EMULATOR_SERVICE)
    const touchstone = join(this.programs, 'touchstone')
    await writeFile(touchstone, `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'cli/bin.js')}' "$@"\n`, {
      mode: 0o755,
    })
  }

  #inNetwork(...command: readonly string[]): Promise<ProgramResult> {
    return runProgramOrThrow(['nsenter', `--net=/run/netns/${this.#environment['NAME'] ?? ''}`, ...command], {
      cwd: ROOT,
    })
  }

  #socketOf(node: string): string {
    return `/run/${this.#environment['NAME'] ?? ''}-${node}.sock`
  }

  async #kill(name: string): Promise<void> {
    const pid = Number(readFileSync(join(this.#state, 'pids', name), 'utf8'))
    process.kill(pid, 'SIGKILL')
    await rm(join(this.#state, 'pids', name))
  }
}

const EMULATOR_SERVICE = `
apiVersion: v1
kind: Service
metadata: {name: emulator}
spec: {ports: [{name: http, port: ${EMULATOR_PORT}}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: emulator, labels: {kubernetes.io/service-name: emulator}}
addressType: IPv4
ports: [{name: http, port: ${EMULATOR_PORT}}]
endpoints: [{addresses: [${HOST}], conditions: {ready: true}}]
`

/**
 * Builds the programs of a cluster unless they are cached.
 * @returns their directory
 */
async function buildPrograms(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['build', 'go.mod', 'go.sum', 'main.go', 'pause/main.go'])
    hash.update(readFileSync(join(SOURCE, file)))
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const directory = join(cache, 'touchstone', 'kubernetes', hash.digest('hex').slice(0, 16))
  await runProgramOrThrow([join(SOURCE, 'build'), directory], { cwd: ROOT })
  return directory
}

/** Builds the images of k6 and of the pause process, and saves both in an archive. */
async function saveImages(programs: string, archive: string): Promise<void> {
  const { GO_IMAGE = '', DEBIAN_IMAGE = '', BUILD_NETWORK = 'default' } = process.env
  const names = ['docker.io/library/touchstone-k6:latest', 'docker.io/library/touchstone-pause:latest'] as const
  const bases = ['--build-arg', `GO_IMAGE=${GO_IMAGE}`, '--build-arg', `DEBIAN_IMAGE=${DEBIAN_IMAGE}`]
  await runDocker('build', '--network', BUILD_NETWORK, ...bases, '-f', DOCKERFILE, '-t', names[0], '.')
  const context = await mkdtemp(join(tmpdir(), 'touchstone-pause-'))
  await writeFile(join(context, 'Dockerfile'), 'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n')
  await runProgramOrThrow(['cp', join(programs, 'pause'), context], { cwd: ROOT })
  await runDocker('build', '-t', names[1], context)
  await runDocker('save', '-o', archive, ...names)
}
