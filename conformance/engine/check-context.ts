import { type Operation, OPERATION_NAMES } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { sendRaw, sendRequest } from '../http/send-request.ts'
import { type CustomRequest, buildCustomRequest, type RequestOptions } from '../requests/api-request.ts'
import {
  buildFormFields,
  buildFormRequest,
  buildJsonRequest,
  type JsonOperation,
  buildListRequest,
  type RequestDefaults,
} from '../requests/build-request.ts'
import { buildAudioFile } from '../requests/audio.ts'
import { applyForm } from '../requests/request-forms.ts'
import { SMALL_MAX_TOKENS } from '../requests/small-max-tokens.ts'
import type { CheckContext, RequestHelpers } from './check.ts'
import type { DispatchedRequest } from '../traffic/dispatched-request.ts'
import { pause } from '../traffic/pause.ts'
import type { RequestScope } from '../traffic/request-scope.ts'
import { BothEnds, type GatewayRun } from '../upstream/both-ends.ts'
import type { RunAlone } from './schedule.ts'
import { type Session, computeShortHash } from './session.ts'

export function createContext(session: Session, scope: RequestScope, alone: RunAlone): CheckContext {
  const { target } = session.settings
  const models = modelsOf(session)
  let nonces = 0
  const nonce = (): string => {
    nonces += 1
    return `t${computeShortHash(`${scope.tag} ${nonces}`)}`
  }
  const dispatch = (dispatched: DispatchedRequest): Promise<Exchange> => session.dispatcher.dispatch(scope, dispatched)
  const tested = scope.source.parameter
  const requests = helpersFor(session, { models, tag: scope.tag, tested, dispatch })
  const smallMaxTokens = Number(session.forms.get('chat')?.fields['max_tokens'] ?? SMALL_MAX_TOKENS.usual)
  const { form } = applyForm(session.forms.get('chat'), {}, tested)
  const dispatchShared = (dispatched: DispatchedRequest): Promise<Exchange> =>
    session.sharedRequests.dispatch(scope, dispatched)
  const shared = {
    ...helpersFor(session, { models, tag: session.sharedRequests.tag, tested, dispatch: dispatchShared }),
    send: (request: CustomRequest) => dispatchShared({ request: buildCustomRequest(request, target.keys) }),
  }
  return {
    keys: { funded: '', noCredits: '', limited: '', small: '', revoked: '', ...target.keys },
    models,
    catalog: session.catalog,
    baseUrl: target.baseUrl,
    smallMaxTokens,
    smallFields: { max_tokens: smallMaxTokens, ...form.fields },
    audio: buildAudioFile(session.forms.get('transcriptions')?.audio ?? 'wav'),
    declared: target.declarations,
    differences: target.differences,
    limitedBurst: target.limitedBurst,
    bothEnds: session.gateway && connectBothEnds(session, session.gateway, scope, nonce),
    nonce,
    send: (request) => dispatch({ request: buildCustomRequest(request, target.keys) }),
    sendRaw: (bytes, request) =>
      dispatch({
        request: buildCustomRequest(request, target.keys),
        send: (spec, options) => sendRaw(bytes, spec, options),
      }),
    ...requests,
    shared,
    parallelLimit: () => session.dispatcher.pace.parallelLimit,
    alwaysLimitsNoCreditsKey: () => session.dispatcher.pace.isLimitedByAccount('no-credits'),
    hasCommonLimit: () => session.dispatcher.pace.hasCommonLimit,
    limitsFundedKey: () => session.dispatcher.pace.limitsFundedKey,
    rejectsAtAnyRate: () => session.dispatcher.pace.rejectsAtAnyRate,
    share: (name, work) => session.sharedRequests.share(scope, name, work),
    wait: (ms) => pause(ms, session.signal),
    alone,
  }
}

function connectBothEnds(session: Session, run: GatewayRun, scope: RequestScope, nonce: () => string): BothEnds {
  const { target, timeoutMs } = session.settings
  const models = modelsOf(session)
  return new BothEnds({
    run,
    scope,
    dispatcher: session.dispatcher,
    timeoutMs,
    signal: session.signal,
    nonce,
    defaultsFor: (operation, tag) => ({
      model: models[operation],
      keys: target.keys,
      tag,
      form: session.forms.get(operation),
    }),
  })
}

interface Helping {
  readonly models: Readonly<Record<Operation, string>>
  readonly tag: string
  /** Parameter that the check tests. */
  readonly tested: string | undefined
  dispatch(dispatched: DispatchedRequest): Promise<Exchange>
}

function helpersFor({ settings, forms }: Session, { models, tag, tested, dispatch }: Helping): RequestHelpers {
  const basis = (of: Operation, form = forms.get(of)): RequestDefaults => {
    return { model: models[of], keys: settings.target.keys, tag, form }
  }
  const json =
    (of: JsonOperation): RequestHelpers['chat'] =>
    (given = {}, options = {}) => {
      const { form, fields } = applyForm(forms.get(of), given, tested)
      return dispatch({ ...transportOf(options), request: buildJsonRequest(of, basis(of, form), fields, options) })
    }
  return {
    listModels: (options = {}) =>
      dispatch({ ...transportOf(options), request: buildListRequest(basis('models'), options) }),
    chat: json('chat'),
    images: json('images'),
    speech: json('speech'),
    transcriptions(fields = {}, options = {}) {
      const form = buildFormFields(basis('transcriptions'), fields)
      const request = buildFormRequest(basis('transcriptions'), form, options)
      return dispatch({ ...transportOf(options), request, ...(options.rawBody === undefined ? { form } : {}) })
    },
  }
}

/** Selects the options that determine how to send a request. Omits those that determine its content. */
function transportOf({
  retryRateLimited,
  group,
  onSend,
  connection,
  abortWhen,
}: RequestOptions): Partial<DispatchedRequest> {
  const isUsual = connection === undefined && abortWhen === undefined
  return {
    retryRateLimited,
    group,
    onSend,
    send: isUsual ? undefined : (spec, options) => sendRequest(spec, { ...options, connection, abortWhen }),
  }
}

/** Returns the model of each operation, empty if discovery found none. Without a key, the declared or cheapest one. */
function modelsOf(session: Session): Record<Operation, string> {
  const { keys, models } = session.settings.target
  const of = (operation: Operation): string => {
    const found = session.models.get(operation)
    if (found !== undefined || keys.funded !== undefined) return found ?? ''
    return models[operation] ?? session.catalog.candidates(operation)[0] ?? ''
  }
  // The list contains each operation.
  return Object.fromEntries(OPERATION_NAMES.map((name) => [name, of(name)])) as Record<Operation, string>
}
