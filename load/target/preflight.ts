import type { LoadFinding } from '../findings/finding.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { LoadKeys } from '../options/load-options.ts'
import { classifyRequestError } from './request-failure.ts'
import { createClient, DEFAULT_TIMEOUT_MS, type TargetClientOptions } from './target-client.ts'

/**
 * Requests the list of models with the funded key, to detect a target that does not respond or that rejects the key.
 * @returns the problem, or undefined if there is none
 * @throws InvalidOptionError if the certificate file cannot be read
 */
export async function findTargetProblem(
  target: string,
  { funded: key, limited, small }: LoadKeys,
  options: TargetClientOptions = {},
  proxy?: string,
): Promise<LoadFinding | undefined> {
  let status: number
  try {
    using client = await createClient(target, key, options, { proxy })
    status = (await client('models')).status
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error
    const failure = classifyRequestError(error, DEFAULT_TIMEOUT_MS)
    return {
      code: 'target-unreachable',
      params: { target, failure, ...(proxy === undefined ? {} : { isProxied: true }) },
    }
  }
  if (proxy !== undefined && status === 407) return { code: 'proxy-requires-credentials', params: { target } }
  const hasOtherKey = key === undefined && (limited ?? small) !== undefined
  if ((status === 401 || status === 403) && !hasOtherKey) {
    return key === undefined
      ? { code: 'target-requires-key', params: { target } }
      : { code: 'target-rejects-key', params: { target, status } }
  }
  return undefined
}
