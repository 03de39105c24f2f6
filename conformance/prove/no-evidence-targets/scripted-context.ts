import { type Operation, OPERATIONS } from '../../../contract/facts.ts'
import type { CheckContext, RequestHelpers } from '../../engine/check.ts'
import { SPECIFIED_MODELS } from '../../engine/model-catalog.ts'
import type { Exchange, RequestSpec } from '../../http/exchange.ts'
import { type ApiRequest, buildCustomRequest, type FormFields } from '../../requests/api-request.ts'
import { buildFormFields, buildFormRequest, buildJsonRequest, buildListRequest } from '../../requests/build-request.ts'
import type { JsonOperation, RequestDefaults } from '../../requests/build-request.ts'
import { buildAudioFile } from '../../requests/audio.ts'
import { SMALL_MAX_TOKENS } from '../../requests/small-max-tokens.ts'
import { buildExchange } from '../../http/build-exchange.ts'
import { joinPieces } from '../../http/received-body.ts'

export const SCRIPTED_BASE_URL = 'http://target.test'

export interface ScriptedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly error?: NonNullable<Exchange['error']>
}

export function createScriptedExchange(
  response: ScriptedResponse,
  request: RequestSpec = { method: 'GET', path: '/', headers: {} },
): Exchange {
  const { status, headers = {}, body = '', error } = response
  const pieces = [{ bytes: Buffer.from(body), atMs: 1 }]
  const raw = { status, headers, body: joinPieces(pieces), totalMs: 1, ...(error === undefined ? {} : { error }) }
  return buildExchange({ ...request, url: `${SCRIPTED_BASE_URL}${request.path}` }, 0, raw)
}

export function createScriptedResult({ path }: Pick<RequestSpec, 'path'>): ScriptedResponse {
  const isSpeech = path === OPERATIONS.speech.path
  return {
    status: 200,
    body: isSpeech ? Uint8Array.from([0xff, 0xf3]) : '{"object":"chat.completion","created":1,"text":""}',
  }
}

/** Model that serves every operation of a scripted target. */
export const SCRIPTED_MODEL = 'vendora-v4-flash'

/** Called with each exchange of a scripted target, and with its form fields if the request contains a form. */
export type RecordExchange = (request: ApiRequest, exchange: Exchange, form?: FormFields) => void

/** Creates a context with a function as the target, for tests of checks without sockets or waits. */
export function createScriptedContext(
  target: (request: RequestSpec) => ScriptedResponse,
  record: RecordExchange = () => undefined,
): CheckContext {
  const keys = {
    funded: 'sk-svc-test-funded',
    noCredits: 'sk-svc-test-no-credits',
    limited: 'sk-svc-test-limited',
    small: 'sk-svc-test-small',
    revoked: 'sk-svc-test-revoked',
  }
  const basis: RequestDefaults = { model: SCRIPTED_MODEL, keys, tag: 'tag' }
  const send = async (request: ApiRequest, form?: FormFields): Promise<Exchange> => {
    const exchange = createScriptedExchange(target(request), request)
    record(request, exchange, form)
    return exchange
  }
  const json =
    (operation: JsonOperation): CheckContext['chat'] =>
    (fields = {}, options = {}) => {
      options.onSend?.()
      return send(buildJsonRequest(operation, basis, fields, options))
    }
  const models: Record<Operation, string> = {
    models: '',
    chat: basis.model,
    images: basis.model,
    transcriptions: basis.model,
    speech: basis.model,
  }
  const requests: RequestHelpers = {
    listModels: (options = {}) => send(buildListRequest(basis, options)),
    chat: json('chat'),
    images: json('images'),
    speech: json('speech'),
    transcriptions(fields = {}, options = {}) {
      const form = buildFormFields(basis, fields)
      return send(buildFormRequest(basis, form, options), options.rawBody === undefined ? form : undefined)
    },
  }
  return {
    ...requests,
    shared: { ...requests, send: (request) => send(buildCustomRequest(request, keys)) },
    keys,
    models,
    catalog: SPECIFIED_MODELS,
    baseUrl: SCRIPTED_BASE_URL,
    smallMaxTokens: SMALL_MAX_TOKENS.usual,
    smallFields: { max_tokens: SMALL_MAX_TOKENS.usual },
    audio: buildAudioFile('wav'),
    declared: {
      balance: { path: '/balance', pointer: '/credits' },
      smallBalance: 1,
      qualityParameter: 'quality',
      vision: { model: basis.model, content: [{ type: 'text', text: 'What is this?' }] },
    },
    differences: [],
    limitedBurst: 3,
    nonce: () => 'nonce',
    send: (request) => send(buildCustomRequest(request, keys)),
    sendRaw: (_bytes, request) => send(buildCustomRequest(request, keys)),
    parallelLimit: () => undefined,
    alwaysLimitsNoCreditsKey: () => false,
    hasCommonLimit: () => false,
    limitsFundedKey: () => false,
    rejectsAtAnyRate: () => false,
    share: (_name, work) => work.send(),
    wait: async () => undefined,
    alone: (work) => work(),
  }
}
