import { KEY_NAMES } from '../options/table-options.ts'
import { createHash } from 'node:crypto'
import { listUrlSecrets, listValueSecrets } from '../../common/secrets/secret-values.ts'
import type { Operation } from '../../contract/facts.ts'
import { buildCurlCommand } from '../evidence/curl-command.ts'
import { EvidenceSize } from '../evidence/describe-exchange.ts'
import { createGatewayRun, type GatewayRun } from '../upstream/both-ends.ts'
import { TargetHealth } from '../traffic/target-health.ts'
import { type Secret, SecretMask } from '../evidence/secrets.ts'
import type { Target } from '../targets/target.ts'
import { MAX_BODY_BYTES, MAX_HEADER_BYTES } from '../http/memory-limits.ts'
import type { RequestForm } from '../requests/request-forms.ts'
import { classifyRequest } from '../requests/classify-request.ts'
import { buildCatalog, type ModelCatalog } from './model-catalog.ts'
import { buildControlRequest, buildInvalidKeyRequest } from '../traffic/control-requests.ts'
import { Dispatcher } from '../traffic/dispatcher.ts'
import { type Control, type Gate, OperationGates } from '../traffic/operation-gates.ts'
import { pause } from '../traffic/pause.ts'
import { RequestScope, type RequestSource } from '../traffic/request-scope.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { RunRemark } from '../findings/run-remark.ts'
import type { RunSettings } from './settings.ts'
import { FINDING_CODES } from '../findings/families.ts'
import { FACT_NAMES } from '../findings/facts.ts'
import { MISSING_EVIDENCE_NAMES } from '../findings/not-tested.ts'
import { OPTION_TABLE } from '../options/option-table.ts'
import { NO_KEY } from '../requests/api-request.ts'
import { SharedRequests } from '../traffic/shared-requests.ts'
import { RunEndedError } from '../traffic/time-limit.ts'

/** State that all checks of a run share. */
export interface Session {
  /** Upstream of the gateway under test. Present only in the suite for gateways. */
  readonly gateway?: GatewayRun | undefined
  readonly settings: RunSettings
  readonly signal: AbortSignal
  /** Start of the run as Unix time, in milliseconds. */
  readonly startedAt: number
  /** Returns the milliseconds since the start of the run. */
  nowMs(): number
  readonly mask: SecretMask
  readonly evidenceSize: EvidenceSize
  readonly dispatcher: Dispatcher
  readonly health: TargetHealth
  readonly sharedRequests: SharedRequests
  /** Models of the target. The engine replaces them if the target lists only other models. */
  catalog: ModelCatalog
  /** Number of listed models outside the table of section 2.1. Set once, if the run tests the models of the table. */
  additionalModels: number
  /** Model that serves each operation. If discovery found none, `modelObstacles` contains the reason instead. */
  readonly models: Map<Operation, string>
  readonly modelObstacles: Map<Operation, RunObstacle>
  /** Remark that the target rejects the models that it lists. Set by model discovery. */
  modelRemark?: RunRemark | undefined
  /** Form of the request that a model served. Set only if this is not the plainest form. */
  readonly forms: Map<Operation, RequestForm>
}

export function createSession(settings: RunSettings, outerSignal: AbortSignal): Session {
  const { target, timeoutMs } = settings
  const start = performance.now()
  const ended = new AbortController()
  const signal = AbortSignal.any([outerSignal, ended.signal])
  const nowMs = (): number => performance.now() - start
  const http = {
    baseUrl: target.url,
    timeoutMs,
    maxBodyBytes: MAX_BODY_BYTES,
    maxHeaderBytes: MAX_HEADER_BYTES,
    ca: target.ca,
    insecure: target.insecure,
    proxy: target.proxy,
    signal,
    nowMs,
  }
  const models = new Map<Operation, string>()
  const lists = (model: string): boolean => session.catalog.has(model) || [...models.values()].includes(model)
  const serves = (operation: Operation, model: string): boolean =>
    models.get(operation) === model || (operation === 'chat' && session.catalog.requiresChat(model))
  const mask = createMask(settings)
  const gates = new OperationGates({
    sendControl: (gate, isAgain) => sendControl(session, gate, isAgain),
    pause: (ms) => pause(ms, signal),
  })
  const health = new TargetHealth({
    signal,
    endRun: (obstacle) => ended.abort(new RunEndedError(obstacle)),
    closeOperation: (operation, response) => gates.close(operation, response),
    recordOutage: (attempts) => dispatcher.logControl(attempts),
    findControl(operation) {
      const control = gates.findControl(operation)
      return control === undefined ? undefined : () => dispatcher.probe(control.request, control.totalMs)
    },
    describeCommand: (sent, form) => buildCurlCommand(sent, form, mask),
    pause: (ms) => pause(ms, signal),
    alone: (work) => dispatcher.alone(work),
    nowMs,
    fundedKey: target.keys.funded ?? '',
  })
  const catalog = buildCatalog(target.ownModels)
  const dispatcher = new Dispatcher({
    settings,
    http,
    kindOf: (request, form) => classifyRequest({ request, form, isServed: serves, isListed: lists }),
    priceOf: (model) => catalog.unitsPerToken(model),
    gates,
    health,
  })
  const session: Session = {
    settings,
    signal,
    startedAt: performance.timeOrigin + start,
    nowMs,
    mask,
    evidenceSize: new EvidenceSize(),
    dispatcher,
    health,
    sharedRequests: new SharedRequests(computeShortHash(`${settings.nonceSeed} shared`), dispatcher, nowMs),
    catalog,
    additionalModels: 0,
    models,
    modelObstacles: new Map(),
    forms: new Map(),
    gateway: settings.upstream && createGatewayRun(settings.upstream, signal),
  }
  return session
}

/** Sends the control request of a gate. See `GateOptions.sendControl`. */
async function sendControl(session: Session, gate: Gate, isAgain: boolean): Promise<Control | undefined> {
  const { sharedRequests } = session
  const control =
    gate === 'invalid-key' ? buildInvalidKeyRequest(session) : buildControlRequest(session, gate, sharedRequests.tag)
  if (control === undefined) return undefined
  const known = isAgain ? undefined : sharedRequests.find(control.request)
  // Later, the control request runs alone, because other requests may be the reason for the breakdown.
  using scope = createScope(session, { name: `control ${gate}`, isControl: true, isAlone: isAgain })
  const response = await (known ?? sharedRequests.dispatch(scope, control))
  return { request: control.request, response }
}

export function createScope({ settings, dispatcher }: Session, source: RequestSource): RequestScope {
  const memory = dispatcher.memory.createHolder()
  return new RequestScope(computeShortHash(`${settings.nonceSeed} ${source.name}`), source, memory, settings.onExchange)
}

/** Returns a hash of the text: eight hexadecimal digits. */
export function computeShortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

const FLAGS = Object.values(OPTION_TABLE).map(({ flag }) => flag)

/** Names that documents and commands of the suite contain. A key may contain a part of one, such as `-limited-`. */
export const OWN_TEXT = [...FINDING_CODES, ...FACT_NAMES, ...MISSING_EVIDENCE_NAMES, ...FLAGS].join(' ')

export function createMask({ target, upstream }: Pick<RunSettings, 'target' | 'upstream'>): SecretMask {
  const secrets = upstream === undefined ? [] : [...listUrlSecrets(upstream.url), upstream.token ?? '']
  return new SecretMask([...listSecretValues(target), ...secrets.map((value) => ({ value }))], OWN_TEXT)
}

export function listSecretValues(target: Target): Secret[] {
  const keys = KEY_NAMES.map(({ name }) => ({ value: target.keys[name], variable: target.keyVariables[name] }))
  const headers = target.secretHeaders.flatMap((name) => listValueSecrets(target.headers[name] ?? ''))
  const others = [...headers, ...listUrlSecrets(target.proxy ?? '')].map((value) => ({ value }))
  const given = keys.flatMap(({ value, variable }): Secret[] =>
    value === undefined || value === NO_KEY ? [] : [{ value, variable }],
  )
  return [...given, ...others]
}
