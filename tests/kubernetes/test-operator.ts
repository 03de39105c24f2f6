import { setTimeout as sleep } from 'node:timers/promises'
import type { KubernetesApi, KubernetesObject } from './kubernetes-api.ts'

interface TestRun extends KubernetesObject {
  readonly spec: KubernetesObject['spec'] & {
    readonly parallelism: number
    readonly separate?: boolean
    readonly args?: readonly string[]
    readonly script: { readonly localFile: string }
    readonly runner: Runner
  }
}

interface Runner {
  readonly image: string
  readonly imagePullPolicy: string
  readonly env: readonly { readonly name: string }[]
  readonly initContainers?: readonly object[]
  readonly volumes?: readonly object[]
  readonly volumeMounts?: readonly object[]
  readonly securityContext?: object
  readonly resources: object
}

const NAMESPACE = '/api/v1/namespaces/default'
const JOBS = '/apis/batch/v1/namespaces/default/jobs'
const TEST_RUNS = '/apis/k6.io/v1alpha1/namespaces/default/testruns'
const PORT = 6565
const POLL_MS = 300

/** Shell script that executes a command if the file in its first argument exists. Fails if the file does not exist. */
const EXEC_IF_EXISTS = 'test -f "$1" || { echo "There is no $1." >&2; exit 1; }; shift; exec "$@"'

/**
 * Script that starts paused k6 processes one after another. It runs with k6, in the same image as these processes. A
 * Service may refuse connections for a moment after its pod is ready.
 */
const START_SCRIPT = `import exec from 'k6/execution'
import { sleep } from 'k6'
import http from 'k6/http'
const BODY = JSON.stringify({ data: { type: 'status', id: 'default', attributes: { paused: false } } })
export default function () {
  for (const url of __ENV.URLS.split(',')) {
    let tries = 0
    while (http.patch(url, BODY, { headers: { 'Content-Type': 'application/json' } }).status !== 200) {
      if (++tries === 50) exec.test.abort(url + ' does not start')
      sleep(0.2)
    }
  }
}
`

/**
 * Implements the features of k6-operator 1.6 that the manifests use, for one TestRun:
 * - an initializer that inspects the script
 * - a paused Job and a Service for each segment
 * - a Job that starts them when all are ready
 * - the stages of the TestRun
 *
 * Like the operator, it sets the stage `finished` even if Jobs have failed, and waits forever for pods that never
 * become ready.
 */
export class TestOperator {
  readonly #api: KubernetesApi
  readonly #signal: AbortSignal

  /**
   * Creates an operator for the cluster of an API.
   * @param signal stops the operator, but not its Jobs
   */
  constructor(api: KubernetesApi, signal: AbortSignal) {
    this.#api = api
    this.#signal = signal
  }

  /**
   * Waits for the TestRun with a name, and runs it.
   * @returns its last stage, or `deleted`
   */
  async run(name: string): Promise<string> {
    const testRun = await this.#untilDefined(() => this.#api.find(`${TEST_RUNS}/${name}`))
    // The cast is safe: the API server has validated the object.
    const stages = this.#runStages(new RunResources(testRun as TestRun), name)
    for await (const stage of stages) {
      if ((await this.#api.find(`${TEST_RUNS}/${name}`)) === undefined) return 'deleted'
      await this.#api.merge(`${TEST_RUNS}/${name}/status`, { status: { stage } })
      if (stage === 'error' || stage === 'finished') return stage
    }
    return 'deleted'
  }

  async *#runStages(resources: RunResources, name: string): AsyncGenerator<string> {
    yield 'initialization'
    await this.#api.create(JOBS, resources.initializer())
    const selector = `job-name=${name}-initializer`
    const phase = await this.#untilDefined(async () => {
      const [pod] = await this.#api.list(`${NAMESPACE}/pods`, selector)
      return ['Succeeded', 'Failed'].find((ended) => ended === pod?.status?.phase)
    })
    yield phase === 'Failed' ? 'error' : 'initialized'
    const indices = Array.from({ length: resources.count }, (_, index) => index + 1)
    for (const index of indices) {
      await this.#api.create(JOBS, resources.runner(index))
      await this.#api.create(`${NAMESPACE}/services`, resources.service(index))
    }
    yield 'created'
    const runners = `k6_cr=${name},runner=true`
    await this.#untilDefined(async () => {
      const pods = await this.#api.list(`${NAMESPACE}/pods`, runners)
      const ready = pods.filter(({ status }) => status?.containerStatuses?.[0]?.ready === true)
      return ready.length === resources.count ? true : undefined
    })
    const services = await this.#api.list(`${NAMESPACE}/services`, runners)
    await this.#api.create(`${NAMESPACE}/configmaps`, resources.startScript())
    await this.#api.create(JOBS, resources.starter(services.map(({ spec }) => spec?.clusterIP ?? '')))
    yield 'started'
    const ended = await this.#untilDefined(async () => {
      if ((await this.#api.find(`${TEST_RUNS}/${name}`)) === undefined) return 'deleted'
      const jobs = await this.#api.list(JOBS, runners)
      const inactive = jobs.filter(({ status }) => (status?.active ?? 0) === 0)
      return inactive.length >= resources.count ? 'finished' : undefined
    })
    yield ended
  }

  async #untilDefined<Value>(read: () => Promise<Value | undefined>): Promise<Value> {
    for (;;) {
      this.#signal.throwIfAborted()
      const value = await read()
      if (value !== undefined) return value
      await sleep(POLL_MS)
    }
  }
}

/**
 * Returns whether `k6 archive` accepts an argument of `k6 run`. The operator omits the arguments that it does not
 * accept.
 */
function isArchiveArgument(argument: string): boolean {
  return argument !== '--no-usage-report'
}

/** Builds the Kubernetes objects of a TestRun. Kubernetes deletes them together with the TestRun. */
class RunResources {
  readonly #testRun: TestRun

  constructor(testRun: TestRun) {
    this.#testRun = testRun
  }

  get count(): number {
    return this.#testRun.spec.parallelism
  }

  initializer(): object {
    const { script, args = [], runner } = this.#testRun.spec
    const environment = runner.env.flatMap(({ name }) => ['-e', `${name}=$(${name})`])
    const archive = '/dev/shm/script.tar'
    const inspect = `"$@" && k6 inspect --execution-requirements ${archive}`
    const archiving = [
      'k6',
      'archive',
      script.localFile,
      ...environment,
      '-O',
      archive,
      ...args.filter(isArchiveArgument),
    ]
    return this.#job('initializer', ['sh', '-c', inspect, 'sh', ...archiving], {})
  }

  /** Returns the Job of a segment. Segments are numbered from 1. */
  runner(index: number): object {
    const { script, args = [], separate } = this.#testRun.spec
    const bound = (part: number) =>
      part === 0 || part === this.count ? String(part / this.count) : `${part}/${this.count}`
    const bounds = Array.from({ length: this.count + 1 }, (_, part) => bound(part))
    const k6 = [
      'k6',
      'run',
      '--quiet',
      `--execution-segment=${bound(index - 1)}:${bound(index)}`,
      `--execution-segment-sequence=${bounds.join(',')}`,
      ...args,
      script.localFile,
      `--address=0.0.0.0:${PORT}`,
      '--paused',
      `--tag=instance_id=${index}`,
      `--tag=testrun_name=${this.#testRun.metadata.name}`,
    ]
    const shell = args.length === 0 ? ['sh', '-c', k6.join(' ')] : k6
    const command = ['sh', '-c', EXEC_IF_EXISTS, 'sh', script.localFile, ...shell]
    return this.#job(String(index), command, { runner: 'true' }, separate === true)
  }

  service(index: number): object {
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...this.#metadata(`service-${index}`), labels: this.#labels({ runner: 'true' }) },
      spec: {
        ports: [{ name: 'http-api', port: PORT, protocol: 'TCP' }],
        selector: { 'job-name': `${this.#testRun.metadata.name}-${index}` },
      },
    }
  }

  startScript(): object {
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: this.#metadata('starter'),
      data: { 'start.js': START_SCRIPT },
    }
  }

  starter(addresses: readonly string[]): object {
    const { image, imagePullPolicy } = this.#testRun.spec.runner
    const urls = addresses.map((address) => `http://${address}:${PORT}/v1/status`)
    const container = {
      name: 'start',
      image,
      imagePullPolicy,
      command: ['k6', 'run', '--quiet', '/start/start.js'],
      env: [{ name: 'URLS', value: urls.join(',') }],
      volumeMounts: [{ name: 'start', mountPath: '/start' }],
    }
    const volumes = [{ name: 'start', configMap: { name: `${this.#testRun.metadata.name}-starter` } }]
    return this.#jobOf('starter', {}, { containers: [container], volumes, restartPolicy: 'Never' })
  }

  #job(
    suffix: string,
    command: readonly string[],
    labels: Readonly<Record<string, string>>,
    isSeparate = false,
  ): object {
    const { image, imagePullPolicy, env, resources, securityContext, ...runner } = this.#testRun.spec.runner
    const probe = { httpGet: { path: '/v1/status', port: PORT } }
    const ports = [{ containerPort: PORT }]
    const container = {
      name: 'k6',
      image,
      imagePullPolicy,
      command,
      env,
      resources,
      ports,
      volumeMounts: runner.volumeMounts,
    }
    const isRunner = 'runner' in labels
    const { initContainers = [], volumes } = runner
    const spec = {
      hostname: `${this.#testRun.metadata.name}-${suffix}`,
      restartPolicy: 'Never',
      securityContext,
      initContainers: initContainers.map((init) => ({ ...init, imagePullPolicy })),
      containers: [isRunner ? { ...container, livenessProbe: probe, readinessProbe: probe } : container],
      volumes,
    }
    return this.#jobOf(suffix, labels, isSeparate ? { ...spec, affinity: ONE_RUNNER_PER_NODE } : spec)
  }

  #jobOf(suffix: string, extraLabels: Readonly<Record<string, string>>, spec: object): object {
    const labels = this.#labels(extraLabels)
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...this.#metadata(suffix), labels },
      spec: { backoffLimit: 0, template: { metadata: { labels }, spec } },
    }
  }

  #labels(extra: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return { app: 'k6', k6_cr: this.#testRun.metadata.name, ...extra }
  }

  #metadata(suffix: string): object {
    const { name, uid } = this.#testRun.metadata
    const owner = {
      apiVersion: 'k6.io/v1alpha1',
      kind: 'TestRun',
      name,
      uid,
      controller: true,
      blockOwnerDeletion: true,
    }
    return { name: `${name}-${suffix}`, ownerReferences: [owner] }
  }
}

const ONE_RUNNER_PER_NODE = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        labelSelector: { matchLabels: { app: 'k6', runner: 'true' } },
        topologyKey: 'kubernetes.io/hostname',
      },
    ],
  },
}
