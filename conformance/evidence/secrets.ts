import { KEY_PREFIX } from '../../contract/facts.ts'

/** A secret value that the report must not contain. */
export interface Secret {
  readonly value: string
  /**
   * Environment variable that contains the secret. Shell commands in the report use the variable instead of the value.
   */
  readonly variable?: string
}

/** An encoding or variant of a secret that the mask replaces. */
interface Spelling {
  readonly text: string
  readonly masked: string
  /**
   * Double-quoted shell expression with this value. Undefined if a shell cannot derive the value from the environment
   * variable.
   */
  readonly shell?: string
  /** True for a possible word after its scheme. Its start does not identify the key, so the mask keeps it. */
  readonly isWord?: true
}

/** Minimum length of a secret that the report masks. If shorter values were masked, they would garble the evidence. */
const MIN_SECRET_CHARACTERS = 6
/** Minimum length of a secret whose last four characters remain visible. */
const MIN_CHARACTERS_WITH_TAIL = 12
/**
 * A key without its prefix that may also be an English word, such as `gateway`. It is masked only as a Bearer token,
 * because the mask would otherwise garble sentences that contain the word.
 */
const POSSIBLE_WORD = /^[a-z]{1,11}$/
const TRUNCATION_MARK = '…'
/**
 * Minimum length of the visible part of a truncated secret that the report masks. Fewer characters do not identify a
 * key.
 */
const MIN_TRUNCATED_CHARACTERS = 4

/** Masks secrets in every encoding that a header or a body can contain. `maskKey` determines the replacement. */
export class SecretMask {
  readonly #spellings: readonly Spelling[]
  /** Matches any secret. Most texts contain none, so this quick test saves the replacement. */
  readonly #any: RegExp

  constructor(secrets: readonly Secret[]) {
    const usable = secrets.filter((secret) => secret.value.length >= MIN_SECRET_CHARACTERS)
    // Longer spellings come first, so that a complete key is replaced before the same key without its prefix.
    this.#spellings = usable.flatMap(spellingsOf).toSorted((a, b) => b.text.length - a.text.length)
    // Without secrets, the pattern is `(?!)`, which never matches.
    this.#any = new RegExp(this.#spellings.map(({ text }) => escapeRegExp(text)).join('|') || '(?!)')
  }

  /** Masks every secret, and every truncated secret before a `…`. */
  mask(text: string): string {
    const whole = this.#any.test(text)
      ? this.#spellings.reduce((masked, { text: secret, masked: by }) => masked.replaceAll(secret, by), text)
      : text
    if (!whole.includes(TRUNCATION_MARK)) return whole
    const parts = whole.split(TRUNCATION_MARK)
    return parts
      .map((part, index) => (index === parts.length - 1 ? part : this.#withoutStart(part)))
      .join(TRUNCATION_MARK)
  }

  /** Removes the start of a secret from the end of a truncated text. */
  #withoutStart(text: string): string {
    const starts = this.#spellings.map(({ text: secret, isWord }) => {
      if (isWord === true) return 0
      const longest = Math.min(secret.length - 1, text.length)
      const lengths = Array.from(
        { length: Math.max(0, longest - MIN_TRUNCATED_CHARACTERS + 1) },
        (_, less) => longest - less,
      )
      return lengths.find((length) => text.endsWith(secret.slice(0, length))) ?? 0
    })
    return text.slice(0, text.length - Math.max(0, ...starts))
  }

  /** Quotes the text as one shell word. Refers to environment variables instead of secrets. */
  quote(text: string): string {
    let parts: { text: string; isShell: boolean }[] = [{ text, isShell: false }]
    for (const spelling of this.#any.test(text) ? this.#spellings : []) {
      parts = parts.flatMap((part) => (part.isShell ? [part] : splitAt(part.text, spelling)))
    }
    const words = parts.filter((part) => part.text !== '')
    return words.map((part) => (part.isShell ? part.text : quoteText(part.text))).join('') || "''"
  }
}

/**
 * Matches characters that terminals and editors do not show, such as a byte order mark. Tabs and line feeds are safe to
 * copy.
 */
const INVISIBLE = /((?:(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+)/u

/**
 * Quotes a string for a POSIX shell. Converts invisible characters to octal escapes of `printf`, such as `"$(printf
 * '\357\273\277')"`, because not every shell supports `$'…'`.
 */
function quoteText(text: string): string {
  return text
    .split(INVISIBLE)
    .map((part, index) => {
      if (part === '') return ''
      return index % 2 === 0 ? `'${part.replaceAll("'", `'\\''`)}'` : `"$(printf '${escapeBytes(part)}')"`
    })
    .join('')
}

function escapeBytes(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

/** Masks a key except for its last four characters. Masks a key of fewer than twelve characters completely. */
export function maskKey(key: string): string {
  return key.length >= MIN_CHARACTERS_WITH_TAIL ? `…${key.slice(-4)}` : '…'
}

function escapeRegExp(text: string): string {
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
  if (body.length >= MIN_SECRET_CHARACTERS && body !== secret.value) {
    const isWord = POSSIBLE_WORD.test(body)
    const scheme = isWord ? 'Bearer ' : ''
    spellings.push({
      text: scheme + body,
      masked: scheme + masked,
      ...(isWord ? { isWord } : {}),
      ...(variable === undefined ? {} : { shell: `"${scheme}\${${variable}#${KEY_PREFIX}}"` }),
    })
  }
  const variants = variantsOf(body, secret, masked)
  spellings.push(...variants.filter(({ text }) => body === secret.value || !POSSIBLE_WORD.test(text)))
  return spellings.filter((spelling, index) => spellings.findIndex((other) => other.text === spelling.text) === index)
}

/**
 * Returns the spellings of modified keys that some checks send. If they were not masked, a reader could reconstruct the
 * tester's key from them.
 */
function variantsOf(body: string, { value, variable }: Secret, masked: string): Spelling[] {
  const prefix = value.slice(0, value.length - body.length)
  const inOtherCase = swapLetterCase(body)
  const swapped = `"${prefix}$(printf %s "\${${variable}#${prefix}}" | tr a-zA-Z A-Za-z)"`
  const shorter = body.length > MIN_SECRET_CHARACTERS ? [value.slice(0, -1), body.slice(0, -1)] : []
  // A short body in the other case may be a word, such as GET of the key `sk-svc-get`.
  const bodies = body.length >= MIN_SECRET_CHARACTERS ? [{ text: inOtherCase, masked }] : []
  return [
    { text: prefix + inOtherCase, masked, ...(variable === undefined ? {} : { shell: swapped }) },
    ...bodies,
    ...shorter.map((text, index) => ({
      text,
      masked,
      ...(variable === undefined || index > 0 ? {} : { shell: `"\${${variable}%?}"` }),
    })),
  ]
}

/** Swaps the case of ASCII letters. Keys contain no other letters. */
export function swapLetterCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
}

/**
 * Returns the Base64 characters that depend only on the secret, for each of the three possible offsets of the secret in
 * a longer text.
 */
function base64Cores(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2]
    .map((offset) => {
      const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
      const first = Math.ceil((offset * 8) / 6)
      const last = Math.floor(((offset + bytes.byteLength) * 8) / 6)
      return encoded.slice(first, last)
    })
    .filter((core) => core.length >= MIN_SECRET_CHARACTERS)
}
