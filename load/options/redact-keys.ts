import { KEY_PREFIX } from '../../contract/facts.ts'

/**
 * Minimum length of a key that is redacted. Redacting a shorter string would damage messages that contain it by chance.
 */
const MIN_KEY_CHARACTERS = 6
/** Minimum length of a key whose last four characters are shown. The conformance suite defines the same constant. */
const MIN_CHARACTERS_WITH_END = 12

/** Returns a function that masks these keys in a string. */
export function createKeyRedactor(keys: readonly string[]): (text: string) => string {
  const spellings = keys
    .flatMap(spellingsOf)
    .filter(({ text }) => text.length >= MIN_KEY_CHARACTERS)
    .toSorted((a, b) => b.text.length - a.text.length)
  return (text) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling.text, spelling.shown), text)
}

/** Masks a key as reports show it: `…` and the last four characters, or only `…` for a short key. */
export function maskKey(key: string): string {
  return key.length >= MIN_CHARACTERS_WITH_END ? `…${key.slice(-4)}` : '…'
}

/** Returns the key with and without its prefix, each as plain text, in JSON and in a URL. */
function spellingsOf(key: string) {
  const shown = maskKey(key)
  const body = key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : key
  return [key, body].flatMap((part) =>
    [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)].map((text) => ({ text, shown })),
  )
}
