import type * as OpenAIModule from 'openai'
import { UsageError } from '../../invalid-option-error.ts'

/** The openai client as its package exports it. */
export type Sdk = typeof OpenAIModule

/** How the package is found; another one for tests. */
type Load = () => Promise<Sdk>

/** Who wants it, and what else there is to do than to install it. */
const WISHES = {
  'a run': { who: '--sdk', otherwise: ', or leave --sdk out' },
  'the proof': { who: 'The proof', otherwise: '' },
} as const

/**
 * Loads the client SDK, which the suite does not need otherwise and an installation may lack.
 * @throws UsageError that says what to install
 */
export async function loadSdk(wish: keyof typeof WISHES, load: Load = () => import('openai')): Promise<Sdk> {
  return load().catch(() => {
    const { who, otherwise } = WISHES[wish]
    throw new UsageError(
      `${who} needs the npm package openai, which is not installed here: run npm install openai${otherwise}.`,
    )
  })
}
