import { file } from 'k6/x/touchstone'
import { readKey } from './load.ts'
import type { LoadSettings } from './load-settings.ts'
import type { Sender } from './requests.ts'

/** A tone of one second, as `make-tone.ts` writes it. k6 reads paths relative to the script. */
const AUDIO = 'assets/tone.wav'

/** Creates a sender with the key from an environment variable. Call it in the init context. It loads the audio file once per process. */
export function makeSender(settings: LoadSettings, key: Parameters<typeof readKey>[0] = 'TOUCHSTONE_KEY'): Sender {
  return { settings, key: readKey(key), audio: file(AUDIO) }
}
