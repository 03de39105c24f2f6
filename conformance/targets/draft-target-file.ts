import { isDeepStrictEqual } from 'node:util'
import type { DifferencesOption } from '../differences/declared-differences.ts'
import { isStableFact } from '../findings/facts.ts'
import { isUnknownPathStatus } from '../http/breakdown.ts'
import { draftDifferences } from './draft-differences.ts'
import { OPERATION_NAMES, type Operation } from '../../contract/facts.ts'
import type { CheckEntry, ConformanceDocument } from '../../reports/conformance-document.ts'
import { SEARCHED_OPERATIONS } from '../requests/request-forms.ts'
import { parseJson } from '../http/decode-body.ts'
import type { DeclaredModel } from './declared-models.ts'
import { type ObservedValue } from '../findings/observed-value.ts'

/** Names of environment variables that contain secrets. The target file contains these names instead of the secrets. */
export interface SecretVariables {
  readonly keys: Readonly<Record<string, string>>
  /** Environment variables by header name. */
  readonly headers: Readonly<Record<string, string>>
  /** Values of headers that contain no secrets. */
  readonly plainHeaders?: Readonly<Record<string, string>>
}

export interface TargetFileDraft {
  readonly url: string
  readonly baseUrl?: string
  readonly keys?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string | { readonly env: string }>>
  /** Operations that the target does not offer, each with the value `false`. */
  readonly operations?: Readonly<Record<string, false>>
  readonly credits?: false
  readonly rateLimit?: false
  /** Model of each operation, or a list of the target's models. */
  readonly models?: Readonly<Record<string, string>> | readonly DeclaredModel[]
  readonly declares?: Readonly<Record<string, ObservedValue>>
  readonly differences?: DifferencesOption
  /** Policies of a gateway, which only runs with an upstream show. */
  readonly policies?: Readonly<Record<string, ObservedValue>>
}

const CHAT_OF_EACH_MODEL = '2.1/all-answer-chat'
/** A check that passes only if the target lists at least one model. */
const MODEL_IDS = '2.1/id'

/** Checks that pass only if the target serves the operation. */
const SERVING_CHECKS: Readonly<Record<Operation, string>> = {
  models: '1/models-offered',
  chat: '1/chat-offered',
  images: '5/valid-key-images',
  transcriptions: '5/valid-key-transcriptions',
  speech: '5/valid-key-speech',
}

/** Builds a target file from what all runs observed alike, and no value contradicts. */
export function buildTargetFileDraft(
  document: ConformanceDocument,
  variables: SecretVariables,
  earlier: readonly ConformanceDocument[] = [],
): TargetFileDraft {
  const { target, checks } = document
  const byId = new Map(checks.map((check) => [check.id, check]))
  const absent = listAbsentOperations(byId)
  const declared = target.notOffered ?? []
  const operations = OPERATION_NAMES.filter((name) => absent.includes(name) || declared.includes(name))
  const before = new Map((earlier[0] ?? document).checks.map(({ id, value }) => [id, value]))
  const declares = Object.fromEntries(
    checks.flatMap(({ id, verdict, value, params }) => {
      const isStable =
        verdict === 'observed' && isStableFact(params['seen']) && isDeepStrictEqual(before.get(id), value)
      return isStable && value !== undefined && serves(byId, String(params['operation'])) ? [[id, value] as const] : []
    }),
  )
  const variablesOfHeaders = Object.entries(variables.headers).map(([name, env]) => [name, { env }] as const)
  const own = target.ownModels === undefined ? undefined : draftModels(target, byId)
  const usual = Object.fromEntries(
    Object.entries(target.models).filter(([name]) => !operations.some((one) => one === name) && serves(byId, name)),
  )
  const differences = draftDifferences(document, earlier)
  // The eight models of the specification are none of this target if it accepts any name.
  const acceptsAnyModel = differences.unknownModels?.value === 'served'
  return {
    url: target.url,
    ...(target.baseUrl === target.url ? {} : { baseUrl: target.baseUrl }),
    ...unlessEmpty('keys', differences.authentication === undefined ? variables.keys : {}),
    ...unlessEmpty('headers', { ...variables.plainHeaders, ...Object.fromEntries(variablesOfHeaders) }),
    ...unlessEmpty('operations', Object.fromEntries(operations.map((name) => [name, false]))),
    ...(declared.includes('credits') ? { credits: false } : {}),
    ...(declared.includes('rate-limit') ? { rateLimit: false } : {}),
    ...unlessEmpty('models', own ?? (acceptsAnyModel ? {} : usual)),
    ...unlessEmpty('declares', declares),
    ...unlessEmpty('differences', differences),
    ...unlessEmpty('policies', draftPolicies(document, earlier[0] ?? document)),
  }
}

/** Returns the policies of a gateway that both runs observed. */
function draftPolicies(document: ConformanceDocument, first: ConformanceDocument) {
  const before = new Map((first.gateway?.checks ?? []).map(({ id, value }) => [id, value]))
  const observed = (document.gateway?.checks ?? []).filter(({ verdict }) => verdict === 'observed')
  return Object.fromEntries(
    observed.flatMap(({ id, value }) =>
      value !== undefined && isDeepStrictEqual(before.get(id), value) ? [[id, value] as const] : [],
    ),
  )
}

/** Returns whether a request of the operation got a result. A 2xx without a result is no evidence. */
function serves(byId: ReadonlyMap<string, CheckEntry>, operation: string): boolean {
  return Object.entries(SERVING_CHECKS).some(([name, id]) => name === operation && byId.get(id)?.verdict === 'pass')
}

/** Returns the checks that show why there is nothing to write: the target served nothing that it offers. */
export function findUnservedChecks({ target, checks }: ConformanceDocument): readonly CheckEntry[] {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const tested = OPERATION_NAMES.filter((name) => target.notOffered?.includes(name) !== true)
  const isEmpty = !tested.some((name) =>
    name === 'models' ? byId.get(MODEL_IDS)?.verdict === 'pass' : serves(byId, name),
  )
  return isEmpty ? tested.flatMap((name) => byId.get(SERVING_CHECKS[name]) ?? []) : []
}

/** Returns the operations that the target does not offer, other than those that broke down. */
function listAbsentOperations(byId: ReadonlyMap<string, CheckEntry>): readonly string[] {
  const plain = (['models', 'chat'] as const).filter((operation) => {
    const { verdict, params = {} } = byId.get(SERVING_CHECKS[operation]) ?? {}
    return verdict === 'fail' && isUnknownPathStatus(Number(params['actualStatus']))
  })
  const searched = SEARCHED_OPERATIONS.filter((operation) => {
    const search = [...byId.values()].find(
      ({ code, params }) => code === 'no-model-found' && params['operation'] === operation,
    )
    const responses: unknown = search?.params['responses']
    return Array.isArray(responses) && responses.every(isRejection)
  })
  return [...plain, ...searched]
}

/** Returns whether a status shows that a model does not serve an operation: a 501, or any 4xx. */
function isRejection(status: unknown): boolean {
  return /^4\d\d$/.test(String(status)) || isUnknownPathStatus(Number(status))
}

/** Returns the target's models with the operations that they serve. Omits listed models that the run did not try. */
function draftModels(
  { ownModels, models }: ConformanceDocument['target'],
  byId: ReadonlyMap<string, CheckEntry>,
): readonly DeclaredModel[] {
  const results = listChatResults(byId.get(CHAT_OF_EACH_MODEL))
  const served = [...results.served, ...(serves(byId, 'chat') ? [models['chat']] : [])]
  const { rejected } = results
  return (ownModels?.ids ?? []).flatMap((id) => {
    const searched = SEARCHED_OPERATIONS.filter((operation) => models[operation] === id && serves(byId, operation))
    const isTried = served.includes(id) || rejected.includes(id)
    if (ownModels?.origin === 'listed' && !isTried && searched.length === 0) return []
    if (!isTried && searched.length === 0) return [{ id }]
    return [{ id, operations: [...(rejected.includes(id) ? [] : (['chat'] as const)), ...searched] }]
  })
}

interface ChatResults {
  readonly served: readonly unknown[]
  readonly rejected: readonly unknown[]
}

/** Lists the models that served or rejected a chat, from the finding, or from the evidence of a failed check. */
function listChatResults(entry: CheckEntry | undefined): ChatResults {
  const seen: unknown = entry?.params['seen']
  if (typeof seen === 'object' && seen !== null && 'served' in seen && 'rejected' in seen) {
    const { served, rejected } = seen
    return { served: Array.isArray(served) ? served : [], rejected: Array.isArray(rejected) ? rejected : [] }
  }
  const results = (entry?.evidence ?? []).map(({ request, response }) => {
    return { model: readModel(request.body), status: response?.status ?? 0 }
  })
  const served = results.filter(({ status }) => status >= 200 && status < 300).map(({ model }) => model)
  const rejected = results.filter(({ status }) => status >= 400 && status < 500).map(({ model }) => model)
  return { served, rejected: rejected.filter((model) => !served.includes(model)) }
}

function readModel(body: string): unknown {
  const json = parseJson(body)
  return typeof json === 'object' && json !== null && 'model' in json ? json.model : undefined
}

function unlessEmpty(name: keyof TargetFileDraft, value: object): object {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}
