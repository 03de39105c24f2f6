import type * as OpenAIModule from 'openai'
import { UsageError } from '../targets/usage-error.ts'

/** The openai client as its package exports it. */
export type Sdk = typeof OpenAIModule

/** How the package is found; another one for tests. */
type Load = () => Promise<Sdk>

/**
 * Loads the client SDK, which the suite does not need otherwise and an installation may lack.
 * @throws UsageError that says what to install
 */
export async function loadSdk(load: Load = () => import('openai')): Promise<Sdk> {
  return load().catch(() => {
    throw new UsageError(
      '--sdk needs the npm package openai, which is not installed here: run npm install openai, or leave --sdk out.',
    )
  })
}
