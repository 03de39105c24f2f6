import { toJsonObject } from '../../common/json-object.ts'
import { tryToParseJson } from '../../common/parse-json.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { createLoadMask } from '../options/load-mask.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { LoadContext } from '../options/load-context.ts'
import type { LoadKeys } from '../options/load-options.ts'
import { classifyRequestError } from './request-failure.ts'
import {
  createClient,
  DEFAULT_TIMEOUT_MS,
  ResponseTooLargeError,
  type TargetClientOptions,
  type TargetResponse,
} from './target-client.ts'

/** Result of the request for the list of models. */
export interface TargetState {
  /** The reason why no run can start. Undefined if there is none. */
  readonly problem?: LoadFinding
  /** IDs of the models that the target lists. Empty if the target has no list. */
  readonly listed: readonly string[]
}

/**
 * Requests the list of models with the funded key, to detect a target that does not respond or that rejects the key.
 * @throws InvalidOptionError if the certificate file cannot be read
 */
export async function inspectTarget(
  target: string,
  { funded: key, limited, small }: LoadKeys,
  options: TargetClientOptions = {},
  { proxy, signal }: Pick<LoadContext, 'proxy'> & Partial<Pick<LoadContext, 'signal'>> = {},
): Promise<TargetState> {
  let response: TargetResponse
  try {
    using client = await createClient(target, key, options, { proxy, signal })
    response = await client('models')
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error
    // The target responds, and its list only serves to find a wrong model.
    if (error instanceof ResponseTooLargeError) return { listed: [] }
    const failure = classifyRequestError(error, DEFAULT_TIMEOUT_MS)
    const params = { target, failure, ...(proxy === undefined ? {} : { isProxied: true }) }
    return { problem: { code: 'target-unreachable', params }, listed: [] }
  }
  const { status, text } = response
  if (proxy !== undefined && status === 407) {
    return { problem: { code: 'proxy-requires-credentials', params: { target } }, listed: [] }
  }
  const hasOtherKey = key === undefined && (limited ?? small) !== undefined
  if ((status === 401 || status === 403) && !hasOtherKey) {
    const problem: LoadFinding =
      key === undefined
        ? { code: 'target-requires-key', params: { target } }
        : { code: 'target-rejects-key', params: { target, status } }
    return { problem, listed: [] }
  }
  const mask = createLoadMask({ keys: [key, limited, small], headers: options.headers })
  // A target can return a key as the ID of a model, and the document contains the models of the run.
  return { listed: status === 200 ? readModelIds(text).filter((id) => mask.mask(id) === id) : [] }
}

/** Returns the IDs in a list of models, or an empty list if the text is not a list of models. */
function readModelIds(text: string): readonly string[] {
  const { data } = toJsonObject(tryToParseJson(text))
  const ids = Array.isArray(data) ? data.map((model: unknown) => toJsonObject(model)['id']) : []
  return ids.filter((id) => typeof id === 'string')
}
