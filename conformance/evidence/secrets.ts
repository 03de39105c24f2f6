import { KEY_PREFIX } from '../../contract/facts.ts'

/** A value to mask, with the environment variable that replaces it in shell commands. */
export interface Secret {
  readonly value: string
  /** Environment variable with this secret; undefined if there is none. */
  readonly variable?: string
}

/** One spelling of a secret in a text. */
interface Spelling {
  readonly text: string
  readonly masked: string
  /** Shell expression in double quotes; undefined if the shell cannot derive this spelling. */
  readonly shell?: string
}

/** Minimum characters of a key. Replacing a shorter value would garble the evidence. */
const LEAST_LENGTH = 6
/** Minimum characters of a secret whose last four characters may be shown. */
const LENGTH_WITH_TAIL = 12
/** Marks the end of a text that was cut. */
const CUT = '…'
/** Minimum characters of a secret that are masked at a cut. Fewer reveal nothing. */
const LEAST_START = 4

/** Replaces secrets by `…` and their last four characters, in every spelling that a header or a body may use. */
export class SecretMask {
  readonly #spellings: readonly Spelling[]
  /** Matches any secret. Nearly all texts contain none and need no further search. */
  readonly #any: RegExp

  constructor(secrets: readonly Secret[]) {
    const usable = secrets.filter((secret) => secret.value.length >= LEAST_LENGTH)
    // Longer spellings first: a key is replaced before the same key without its prefix.
    this.#spellings = usable.flatMap(spellingsOf).toSorted((a, b) => b.text.length - a.text.length)
    // Without a secret this matches nothing.
    this.#any = new RegExp(this.#spellings.map(({ text }) => escaped(text)).join('|') || '(?!)')
  }

  /** Masks every secret, and the start of one before the mark of a cut. */
  mask(text: string): string {
    const whole = this.#any.test(text)
      ? this.#spellings.reduce((masked, { text: secret, masked: by }) => masked.replaceAll(secret, by), text)
      : text
    if (!whole.includes(CUT)) return whole
    const parts = whole.split(CUT)
    return parts.map((part, index) => (index === parts.length - 1 ? part : this.#withoutStart(part))).join(CUT)
  }

  /** Removes the start of a secret from the end of the text. */
  #withoutStart(text: string): string {
    const starts = this.#spellings.map(({ text: secret }) => {
      const longest = Math.min(secret.length - 1, text.length)
      const lengths = Array.from({ length: Math.max(0, longest - LEAST_START + 1) }, (_, less) => longest - less)
      return lengths.find((length) => text.endsWith(secret.slice(0, length))) ?? 0
    })
    return text.slice(0, text.length - Math.max(0, ...starts))
  }

  /** Quotes the text as one shell word, with variables for secrets. */
  quote(text: string): string {
    let parts: { text: string; isShell: boolean }[] = [{ text, isShell: false }]
    for (const spelling of this.#any.test(text) ? this.#spellings : []) {
      parts = parts.flatMap((part) => (part.isShell ? [part] : splitAt(part.text, spelling)))
    }
    const words = parts.filter((part) => part.text !== '')
    return words.map((part) => (part.isShell ? part.text : `'${part.text.replaceAll("'", `'\\''`)}'`)).join('') || "''"
  }
}

/** Masks a key except for its last four characters; a short key completely. */
export function maskKey(key: string): string {
  return key.length >= LENGTH_WITH_TAIL ? `…${key.slice(-4)}` : '…'
}

/** Escapes text for a regular expression. */
function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`)
}

function splitAt(text: string, spelling: Spelling): { text: string; isShell: boolean }[] {
  const replacement = spelling.shell === undefined ? undefined : { text: spelling.shell, isShell: true }
  return text
    .split(spelling.text)
    .flatMap((part, index) => [
      ...(index === 0 ? [] : [replacement ?? { text: spelling.masked, isShell: false }]),
      { text: part, isShell: false },
    ])
}

function spellingsOf(secret: Secret): Spelling[] {
  const masked = maskKey(secret.value)
  const body = secret.value.startsWith(KEY_PREFIX) ? secret.value.slice(KEY_PREFIX.length) : secret.value
  const { variable } = secret
  const derived = [JSON.stringify(secret.value).slice(1, -1), encodeURIComponent(secret.value)]
  const spellings: Spelling[] = [
    { text: secret.value, masked, ...(variable === undefined ? {} : { shell: `"$${variable}"` }) },
    ...[...derived, ...base64Cores(secret.value), ...base64Cores(body)].map((text) => ({ text, masked })),
  ]
  if (body.length >= LEAST_LENGTH && body !== secret.value) {
    spellings.push({
      text: body,
      masked,
      ...(variable === undefined ? {} : { shell: `"\${${variable}#${KEY_PREFIX}}"` }),
    })
  }
  spellings.push(...almost(body, secret, masked))
  return spellings.filter((spelling, index) => spellings.findIndex((other) => other.text === spelling.text) === index)
}

/** Variants of a key that checks send. A reader could restore the tester's own key from them. */
function almost(body: string, { value, variable }: Secret, masked: string): Spelling[] {
  const prefix = value.slice(0, value.length - body.length)
  const inOtherCase = swapLetterCase(body)
  const swapped = `"${prefix}$(printf %s "\${${variable}#${prefix}}" | tr a-zA-Z A-Za-z)"`
  const shorter = body.length > LEAST_LENGTH ? [value.slice(0, -1), body.slice(0, -1)] : []
  return [
    { text: prefix + inOtherCase, masked, ...(variable === undefined ? {} : { shell: swapped }) },
    { text: inOtherCase, masked },
    ...shorter.map((text, index) => ({
      text,
      masked,
      ...(variable === undefined || index > 0 ? {} : { shell: `"\${${variable}%?}"` }),
    })),
  ]
}

/** Swaps upper and lower case of ASCII letters; keys have no others. */
export function swapLetterCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
}

/** Base64 characters that a value always produces, for each of its three possible offsets among other bytes. */
function base64Cores(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2]
    .map((offset) => {
      const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
      const first = Math.ceil((offset * 8) / 6)
      const last = Math.floor(((offset + bytes.byteLength) * 8) / 6)
      return encoded.slice(first, last)
    })
    .filter((core) => core.length >= LEAST_LENGTH)
}
