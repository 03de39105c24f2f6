import type * as OpenAIModule from 'openai'
import { InvalidOptionError } from '../../options/invalid-option-error.ts'

export type OpenAiSdk = typeof OpenAIModule

/** Imports the package. Tests replace this function. */
type Load = () => Promise<OpenAiSdk>

/**
 * Loads the client SDK, an optional package that only the SDK checks use.
 * @param option option that requires the SDK; undefined for mutation testing
 * @throws InvalidOptionError with the package to install
 */
export async function loadSdk(option: 'sdk' | undefined, load: Load = () => import('openai')): Promise<OpenAiSdk> {
  return load().catch(() => {
    throw new InvalidOptionError({
      reason: 'missing-package',
      package: 'openai',
      ...(option === undefined ? {} : { option }),
    })
  })
}
