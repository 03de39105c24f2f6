import { file } from 'k6/x/touchstone'
import { readKey } from './prepare-scenario.ts'
import type { LoadSettings } from './load-settings.ts'
import type { ScriptContext } from './requests.ts'

/** Audio file with a tone of one second, which `make-tone.ts` generates. k6 resolves the path relative to the script. */
const AUDIO = 'assets/tone.wav'

/**
 * Creates the context of a script's requests, with the API key from an environment variable. Loads the audio file once
 * per process. For k6's init context only.
 */
export function createScriptContext(
  settings: LoadSettings,
  key: Parameters<typeof readKey>[0] = 'TOUCHSTONE_KEY',
): ScriptContext {
  return { settings, key: readKey(key), audio: file(AUDIO) }
}
