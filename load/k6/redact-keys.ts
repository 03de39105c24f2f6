import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Keys } from './run-k6.ts'

/** Below this many characters a text is no key, and taking it out would garble what is told. */
const LEAST_CHARACTERS = 6
/**
 * The last four characters of a key may be shown when it has at least this many. The suite decides this for itself, and so do
 * scenarios: it is no fact of the document, and what would leak a key in one program is not to leak it in the other.
 */
const LEAST_WITH_END = 12

/** A function that takes keys out of a text, but for their ends: a target may say back whatever it was sent. */
export function keyRemover(keys: Keys): (text: string) => string {
  const spellings = Object.values(keys)
    .flatMap(spellingsOf)
    .filter(({ text }) => text.length >= LEAST_CHARACTERS)
    .toSorted((a, b) => b.text.length - a.text.length)
  return (text) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling.text, spelling.shown), text)
}

/** The end of a key, as it may be shown: of a short one nothing. */
export function shownEnd(key: string): string {
  return key.length >= LEAST_WITH_END ? `…${key.slice(-4)}` : '…'
}

/** The key and its body, each as it is, in JSON and in an address. */
function spellingsOf(key: string) {
  const shown = shownEnd(key)
  const body = key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : key
  return [key, body].flatMap((part) =>
    [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)].map((text) => ({ text, shown })),
  )
}
