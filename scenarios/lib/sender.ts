import { file } from 'k6/x/touchstone'
import { readKey } from './load.ts'
import type { LoadSettings } from './load-settings.ts'
import type { Sender } from './requests.ts'

/** A second of a tone, as `make-tone.ts` writes it. From the folder of the script, as k6 reads paths. */
const AUDIO = 'assets/tone.wav'

/** A sender with the usual account, or another one; for the init context. The audio is held once in a process. */
export function makeSender(settings: LoadSettings, key: Parameters<typeof readKey>[0] = 'TOUCHSTONE_KEY'): Sender {
  return { settings, key: readKey(key), audio: file(AUDIO) }
}
