import { KEY_PREFIX } from '../../contract/facts.ts'
import { readSpecText } from '../../contract/spec-text.ts'
import { OWN_WORDS } from '../../common/secrets/own-words.ts'
import { TextMask } from '../../common/secrets/text-mask.ts'

/** A secret value that the report must not contain. */
export interface Secret {
  readonly value: string
  /** Environment variable that contains the secret, for shell commands in the report. */
  readonly variable?: string
}

/** A text that contains a key of the run, and a double-quoted shell expression with the same value. */
interface Derivation {
  readonly text: string
  readonly shell: string
}

/** Minimum length of a secret that commands replace in any place. */
const MIN_CHARACTERS_ANYWHERE = 8

/** Masks the secrets of a run, and quotes texts for a shell with variables instead of keys. */
export class SecretMask extends TextMask {
  /** Longer texts come first, so that a complete key is replaced before a part of it. */
  readonly #derivations: readonly Derivation[]

  /** @param ownText further words that the program writes itself, although a secret may contain them */
  constructor(secrets: readonly Secret[], ownText = '') {
    super(
      secrets.map(({ value }) => value),
      { prefix: KEY_PREFIX, ownText: `${readSpecText()} ${OWN_WORDS} ${ownText}` },
    )
    this.#derivations = secrets.flatMap(listDerivations).toSorted((a, b) => b.text.length - a.text.length)
  }

  /** Quotes the text as one shell word. Refers to environment variables instead of secrets. */
  quote(text: string): string {
    let parts: { text: string; isShell: boolean }[] = [{ text, isShell: false }]
    for (const derivation of this.#derivations) {
      parts = parts.flatMap((part) => (part.isShell ? [part] : splitAt(part.text, derivation)))
    }
    const words = parts.filter((part) => part.text !== '')
    return words.map((part) => (part.isShell ? part.text : quoteText(this.mask(part.text)))).join('') || "''"
  }
}

/** Matches characters that terminals and editors do not show, apart from tabs and line feeds. */
const INVISIBLE = /((?:(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+)/u

/** Quotes a string for a POSIX shell. Invisible characters become octal escapes of `printf`. */
function quoteText(text: string): string {
  return text
    .split(INVISIBLE)
    .map((part, index) => {
      if (part === '') return ''
      return index % 2 === 0
        ? `'${part.replaceAll("'", `'\\''`).replaceAll(/#(?=#)/g, "#''")}'`
        : `"$(printf '${escapeBytes(part)}')"`
    })
    .join('')
}

function escapeBytes(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

function splitAt(text: string, { text: derived, shell }: Derivation): { text: string; isShell: boolean }[] {
  return text
    .split(derived)
    .flatMap((part, index) => [
      ...(index === 0 ? [] : [{ text: shell, isShell: true }]),
      { text: part, isShell: false },
    ])
}

/** Returns the texts that contain a key, also changed by a check. A short key may be a word, so it needs `Bearer`. */
function listDerivations({ value, variable }: Secret): Derivation[] {
  if (variable === undefined) return []
  const prefix = value.startsWith(KEY_PREFIX) ? KEY_PREFIX : ''
  const body = value.slice(prefix.length)
  const scheme = prefix === '' && value.length < MIN_CHARACTERS_ANYWHERE ? 'Bearer ' : ''
  const swapped = `"${prefix}$(printf %s "\${${variable}#${prefix}}" | tr a-zA-Z A-Za-z)"`
  return [
    { text: scheme + value, shell: `"${scheme}$${variable}"` },
    ...(prefix === '' ? [] : [{ text: `Bearer ${body}`, shell: `"Bearer \${${variable}#${prefix}}"` }]),
    { text: scheme + prefix + swapLetterCase(body), shell: scheme === '' ? swapped : `"${scheme}"${swapped}` },
    ...(body.length > 1 ? [{ text: scheme + value.slice(0, -1), shell: `"${scheme}\${${variable}%?}"` }] : []),
  ]
}

/** Swaps the case of ASCII letters. Keys contain no other letters. */
export function swapLetterCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
}
