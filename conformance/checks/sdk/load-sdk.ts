import type * as OpenAIModule from 'openai'
import { InvalidOptionError } from '../../options/invalid-option-error.ts'

/** The openai client as its package exports it. */
export type Sdk = typeof OpenAIModule

/** How the package is found; another one for tests. */
type Load = () => Promise<Sdk>

/**
 * Loads the client SDK, which the suite does not need otherwise and an installation may lack.
 * @param option names the option that needs it; undefined for the mutation tests
 * @throws InvalidOptionError that says what to install
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
