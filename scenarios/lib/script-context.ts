import { file } from 'k6/x/touchstone'
import { type LoadScenario, readHeaders, readKey } from './prepare-scenario.ts'
import type { ScriptContext } from './requests.ts'

/** Audio file with a tone of one second: 220 Hz, 8 kHz, 16 bit, mono. k6 resolves the path relative to the script. */
const AUDIO = 'assets/tone.wav'

/**
 * Creates the context of a script's requests, with an API key from the environment. Loads the audio file once per
 * process. Call it only in k6's init context.
 */
export function createScriptContext(
  { settings, prompts }: LoadScenario,
  key: Parameters<typeof readKey>[0] = 'TOUCHSTONE_KEY',
): ScriptContext {
  return { settings, key: readKey(key), headers: readHeaders(), audio: file(AUDIO), prompts }
}
