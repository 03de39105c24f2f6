import { LoadUsageError } from '../options/invalid-option-error.ts'
import { createAsk, type Trust, wordsFor } from './target-client.ts'

/** The keys that a run was given; only the funded one is shown to the target before the run. */
export interface PreflightKeys {
  readonly funded?: string | undefined
  readonly limited?: string | undefined
  readonly small?: string | undefined
}

/**
 * Asks a target for its models, once: nothing is loaded that does not answer or does not let us in.
 * @returns one sentence that says what is wrong, or undefined
 * @throws LoadUsageError when the file of certificates cannot be read
 */
export async function findTargetProblem(
  target: string,
  { funded: key, limited, small }: PreflightKeys,
  trust: Trust = {},
): Promise<string | undefined> {
  let status: number
  try {
    using ask = await createAsk(target, key, trust)
    status = (await ask('models')).status
  } catch (error) {
    if (error instanceof LoadUsageError) throw error
    return `Nothing usable answered at ${target} (${wordsFor(error)}): is the service running there? Without --target the emulator is started.`
  }
  const hasOtherKey = key === undefined && (limited ?? small) !== undefined
  if ((status === 401 || status === 403) && !hasOtherKey) {
    return key === undefined
      ? `${target} asks for a key: give one with --key or TOUCHSTONE_KEY.`
      : `${target} refused the key (${status}): give one that is valid with --key or TOUCHSTONE_KEY.`
  }
  return undefined
}
