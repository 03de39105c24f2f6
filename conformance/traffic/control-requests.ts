import { KEY_PREFIX, type Operation } from '../../contract/facts.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'
import type { TargetKeys } from '../options/table-options.ts'
import {
  buildFormFields,
  buildFormRequest,
  buildJsonRequest,
  buildListRequest,
  type RequestDefaults,
} from '../requests/build-request.ts'
import type { RequestForm } from '../requests/request-forms.ts'
import type { DispatchedRequest } from './dispatched-request.ts'

/** A well-formed key that no service issued. */
export const UNKNOWN_KEY = `${KEY_PREFIX}touchstone-conformance-unknown-key`

/** Models and request forms of a run. */
export interface RequestContents {
  readonly settings: { readonly target: { readonly keys: TargetKeys } }
  readonly models: ReadonlyMap<Operation, string>
  readonly forms: ReadonlyMap<Operation, RequestForm>
}

/** Builds the small valid request of an operation. `tag` appears in its text. */
export function buildSmallRequest(
  { settings, models, forms }: RequestContents,
  timed: TimedOperation,
  tag: string,
): DispatchedRequest {
  const operation = timed === 'chat-stream' ? 'chat' : timed
  const form = forms.get(operation)
  const basis: RequestDefaults = { model: models.get(operation) ?? '', keys: settings.target.keys, tag, form }
  switch (timed) {
    case 'models':
      return { request: buildListRequest(basis, {}) }
    case 'transcriptions': {
      const fields = buildFormFields(basis, {})
      return { request: buildFormRequest(basis, fields, {}), form: fields }
    }
    case 'chat-stream':
      return { request: buildJsonRequest('chat', basis, { stream: true }, {}) }
    default:
      return { request: buildJsonRequest(timed, basis, {}, {}) }
  }
}

/** Builds the small valid request of an operation that all checks share, if there are a key and a model. */
export function buildControlRequest(
  contents: RequestContents,
  timed: TimedOperation,
  tag: string,
): DispatchedRequest | undefined {
  const hasModel = contents.models.has(timed === 'chat-stream' ? 'chat' : timed)
  if (contents.settings.target.keys.funded === undefined || !hasModel) return undefined
  return buildSmallRequest(contents, timed, tag)
}

/** Builds a request with a key that no service issued. Returns undefined without a funded key. */
export function buildInvalidKeyRequest({ settings: { target } }: RequestContents): DispatchedRequest | undefined {
  if (target.keys.funded === undefined) return undefined
  const basis: RequestDefaults = { model: '', keys: target.keys, tag: '' }
  return { request: buildListRequest(basis, { key: { invalid: UNKNOWN_KEY } }) }
}
