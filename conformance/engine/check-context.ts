import type { Operation } from '../../contract/facts.ts'
import type { Check, CheckContext, FormValue, RequestOptions } from './check.ts'
import type { Recorder } from '../evidence/recorder.ts'
import {
  formFields,
  formRequest,
  jsonRequest,
  type JsonOperation,
  listRequest,
  type RequestBasis,
} from '../requests/build-request.ts'
import { audioFile } from '../requests/request-forms.ts'
import { sendRaw } from '../http/send-raw.ts'
import { sendRequest } from '../http/send-request.ts'
import { modelsByPrice } from './prices.ts'
import { type Outgoing, pause, sendFor } from './send.ts'
import { type Session, shortHash } from './session.ts'

/** What a check works with: each request goes through the session's budgets into the check's recorder. */
export function createContext(session: Session, check: Check, recorder: Recorder): CheckContext {
  const { target } = session.settings
  const { operation } = check
  const models = modelsOf(session)
  let nonces = 0
  const basis = (of: Operation): RequestBasis => {
    const form = session.forms.get(of)
    const usual = { model: models[of], key: target.keys.funded, tag: recorder.tag }
    return form === undefined ? usual : { ...usual, form }
  }
  const json =
    (of: JsonOperation): CheckContext['chat'] =>
    (fields = {}, options = {}) =>
      sendFor(session, {
        ...howToSend(options),
        spec: jsonRequest(of, basis(of), fields, options),
        recorder,
        operation,
      })
  return {
    keys: {
      funded: target.keys.funded ?? '',
      noCredits: target.keys.noCredits ?? '',
      limited: target.keys.limited ?? '',
      small: target.keys.small ?? '',
    },
    models,
    baseUrl: target.baseUrl,
    audio: audioFile(session.forms.get('transcriptions')?.audio ?? 'wav'),
    declared: target.declarations,
    limitedBurst: target.limitedBurst,
    nonce() {
      nonces += 1
      return `t${shortHash(`${recorder.tag} ${nonces}`)}`
    },
    send: (spec) => sendFor(session, { spec, recorder, operation }),
    sendRaw: (bytes, spec) =>
      sendFor(session, { spec, recorder, operation, sender: (sent, options) => sendRaw(bytes, sent, options) }),
    listModels: (options = {}) =>
      sendFor(session, { ...howToSend(options), spec: listRequest(basis('models'), options), recorder, operation }),
    chat: json('chat'),
    images: json('images'),
    speech: json('speech'),
    transcriptions(fields: Readonly<Record<string, FormValue | undefined>> = {}, options: RequestOptions = {}) {
      const form = formFields(basis('transcriptions'), fields)
      const spec = formRequest(basis('transcriptions'), form, options)
      const isForm = options.rawBody === undefined
      return sendFor(session, { ...howToSend(options), spec, recorder, operation, ...(isForm ? { form } : {}) })
    },
    wait: (ms) => pause(ms, session.wire.signal),
  }
}

/** What of the options concerns the way of a request, not the request. */
function howToSend({ keepsLimit, connection, leaveAfterEvents }: RequestOptions): Partial<Outgoing> {
  const manner = {
    ...(connection === undefined ? {} : { connection }),
    ...(leaveAfterEvents === undefined ? {} : { leaveAfterEvents }),
  }
  return {
    ...(keepsLimit === undefined ? {} : { keepsLimit }),
    ...(Object.keys(manner).length === 0
      ? {}
      : { sender: (spec, options) => sendRequest(spec, { ...options, ...manner }) }),
  }
}

/**
 * Where no model was found to serve an operation its entry is empty, so that a check can tell. Without a key nothing was
 * searched for, and the cheapest model will do: such requests are refused before the model matters.
 */
function modelsOf(session: Session): Record<Operation, string> {
  const usual = session.settings.target.keys.funded === undefined ? (modelsByPrice()[0] ?? '') : ''
  const of = (operation: Operation): string => session.models.get(operation) ?? usual
  return {
    models: of('models'),
    chat: of('chat'),
    images: of('images'),
    transcriptions: of('transcriptions'),
    speech: of('speech'),
  }
}
