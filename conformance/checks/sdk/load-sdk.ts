import type * as OpenAIModule from 'openai'
import { InvalidOptionError } from '../../options/invalid-option-error.ts'

/** The `openai` module, as the package exports it. */
export type Sdk = typeof OpenAIModule

/** Imports the package. Tests replace this function. */
type Load = () => Promise<Sdk>

/**
 * Loads the client SDK. It is an optional package that only the SDK checks use.
 * @param option option that requires the SDK, or undefined for the mutation tests
 * @throws InvalidOptionError with the package to install
 */
export async function loadSdk(option: 'sdk' | undefined, load: Load = () => import('openai')): Promise<Sdk> {
  return load().catch(() => {
    throw new InvalidOptionError({
      reason: 'missing-package',
      package: 'openai',
      ...(option === undefined ? {} : { option }),
    })
  })
}
