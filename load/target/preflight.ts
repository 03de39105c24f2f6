import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { LoadKeys } from '../options/load-options.ts'
import { createClient, describeRequestError, type TlsOptions } from './target-client.ts'

/**
 * Requests the models of a target, with the funded key only, to detect a target that does not respond or that rejects
 * its key.
 * @returns the problem in one sentence; undefined if there is none
 * @throws InvalidOptionError if the certificate file cannot be read
 */
export async function findTargetProblem(
  target: string,
  { funded: key, limited, small }: LoadKeys,
  tls: TlsOptions = {},
): Promise<string | undefined> {
  let status: number
  try {
    using client = await createClient(target, key, tls)
    status = (await client('models')).status
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error
    return `Nothing usable answered at ${target} (${describeRequestError(error)}): is the service running there? Without --target the emulator is started.`
  }
  const hasOtherKey = key === undefined && (limited ?? small) !== undefined
  if ((status === 401 || status === 403) && !hasOtherKey) {
    return key === undefined
      ? `${target} asks for a key: give one with --key or TOUCHSTONE_KEY.`
      : `${target} refused the key (${status}): give one that is valid with --key or TOUCHSTONE_KEY.`
  }
  return undefined
}
