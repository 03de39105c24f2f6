import { compose, type DecodedText, findQuote, type TextRange } from './decoded-text.ts'
import { decodeDigits, decodeEscapes } from './decodings.ts'
import { fingerprintSecret } from './fingerprint.ts'
import { joinStrings } from './joined-values.ts'
import { mergeRanges, replaceInJson, replaceRanges, type Replacement } from './replace.ts'

export interface TextMaskOptions {
  /** Prefix of API keys, which is not secret. */
  readonly prefix: string
  /** Text whose words the mask keeps, although a key may contain them. */
  readonly ownText?: string
  /** Whether the mask also replaces keys that are not listed but have the prefix. */
  readonly masksUnknownKeys?: boolean
}

/** Number of consecutive characters of a secret that the mask replaces in any place. */
const RUN_CHARACTERS = 8

/** Minimum length of a secret that the mask replaces as the whole value of a header or field. */
const MIN_VALUE_CHARACTERS = 4

/** Number of encodings inside each other that the mask decodes, apart from escapes. */
const MAX_ENCODINGS = 3

/** Maximum number of decoded characters for each character of a text, and number of characters added to each text. */
const MAX_DECODED_PER_CHARACTER = 32
const ADDED_CHARACTERS = 8000

/** Work for a decoded text, apart from its characters. */
const CHARACTERS_PER_TEXT = 64

/** Extent of the search in a text. */
interface Depth {
  /** Number of encodings inside each other to decode, apart from escapes. */
  readonly encodings: number
  /** Whether to join the strings of the text. */
  readonly joins: boolean
}

interface Search {
  /** Results for the texts so far, because several ways of decoding often result in the same text. */
  readonly known: Map<string, Depth & { readonly found: readonly Replacement[] }>
  /** Number of characters that the search may still decode. Negative if it ended before it found everything. */
  charactersLeft: number
}

/** Number of characters that one hash describes. */
const HASHED_CHARACTERS = 4

/** Distance of the tested positions. Each run of eight characters contains four characters from one of them. */
const STRIDE = RUN_CHARACTERS - HASHED_CHARACTERS + 1

/**
 * Replaces secrets in texts of other programs by fingerprints. Finds every run of eight characters of a secret, in both
 * letter cases and in the encodings that `decodings.ts` decodes; the prefix of a key does not count. Finds a secret with
 * fewer characters only as the whole value of a header or field.
 */
export class TextMask {
  readonly #ownText: string
  /** Replacement for each run of eight characters of a secret, by the run in lower case. */
  readonly #runs = new Map<string, string>()
  /** The runs that are part of an own text. A longer run of a secret may begin with them. */
  readonly #ownRuns = new Set<string>()
  /** Nonzero for the hash of each four characters of a run. Rules out most positions of a text. */
  readonly #hashes = new Uint8Array(2 ** 16)
  /** Matches complete secrets. Undefined if there are none to find in this way. */
  readonly #whole: RegExp | undefined
  /** Replacement for each complete secret, by the secret in lower case. */
  readonly #complete = new Map<string, string>()

  /** Number of characters that the mask decoded so far, as a measure of its work. */
  decodedCharacters = 0

  constructor(secrets: Iterable<string>, { prefix, ownText = '', masksUnknownKeys = false }: TextMaskOptions) {
    this.#ownText = ownText.toLowerCase()
    const patterns = masksUnknownKeys ? [`${escapePattern(prefix)}[\\w.~%+=-]*[\\w~%+=-]`] : []
    for (const secret of secrets) {
      if (secret.length >= RUN_CHARACTERS && this.#isOwn(secret)) continue
      const body = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
      const shown = fingerprintSecret(secret)
      for (const form of listForms(body)) this.#addRuns(form, shown)
      for (const text of [secret, body]) this.#complete.set(text.toLowerCase(), shown)
      patterns.push(...listPatterns(secret, body))
    }
    this.#whole = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'gim')
  }

  /** Masks a text. Hides it completely if its encodings are too many to search. */
  mask(text: string): string {
    const found = this.#findAll(text)
    return found === undefined ? describeHidden(text) : replaceRanges(text, found)
  }

  /**
   * Masks all strings of a JSON value together, so that it finds a secret whose parts are in different strings. Hides
   * strings with encodings that are too many to search, or all strings if this is not enough.
   */
  maskJson<T>(value: T): T {
    const text = JSON.stringify(value)
    const found = this.#findAll(text)
    if (found?.length === 0) return value
    // The cast is safe unless a number or a literal type contained a secret.
    return JSON.parse(found === undefined ? this.#hideStrings(text) : replaceInJson(text, found)) as T
  }

  #hideStrings(json: string): string {
    const strings = listJsonStrings(json).map((range) => ({ ...range, shown: describeHidden(sliceRange(json, range)) }))
    const searched = replaceInJson(
      json,
      strings.filter((range) => this.#findRuns(sliceRange(json, range), 0) === undefined),
    )
    const found = this.#findAll(searched)
    return found === undefined ? replaceInJson(json, strings) : replaceInJson(searched, found)
  }

  #addRuns(text: string, shown: string): void {
    const lower = text.toLowerCase()
    for (let at = 0; at + RUN_CHARACTERS <= lower.length; at += 1) {
      const run = lower.slice(at, at + RUN_CHARACTERS)
      this.#runs.set(run, shown)
      if (this.#isOwn(run)) this.#ownRuns.add(run)
      for (let from = at; from < at + STRIDE; from += 1) this.#hashes[hashAt(lower, from)] = 1
    }
  }

  /** Finds all secrets in a text. Returns undefined if its encodings are too many to search. */
  #findAll(text: string): Replacement[] | undefined {
    const runs = this.#findRuns(text, ADDED_CHARACTERS)
    if (runs === undefined) return undefined
    // In other encodings, there is no way to tell where a complete secret begins or ends.
    const whole = this.#whole === undefined ? [] : decodeEscapes(text)
    return [...runs, ...whole.flatMap((level) => locate(level, this.#matchWhole(level.text)))]
  }

  /** Finds the runs of a secret in a text. Returns undefined if its encodings are too many to search. */
  #findRuns(text: string, addedCharacters: number): readonly Replacement[] | undefined {
    if (this.#runs.size === 0) return []
    const limit = MAX_DECODED_PER_CHARACTER * (text.length + addedCharacters)
    const search: Search = { known: new Map(), charactersLeft: limit }
    const found = this.#searchRuns(text, { encodings: MAX_ENCODINGS, joins: true }, search)
    this.decodedCharacters += limit - search.charactersLeft
    return search.charactersLeft < 0 ? undefined : found
  }

  /** Finds runs of a secret in a text, and in the texts that it encodes. */
  #searchRuns(text: string, { encodings, joins }: Depth, search: Search): readonly Replacement[] {
    const known = search.known.get(text)
    if (known !== undefined && known.encodings >= encodings && (known.joins || !joins)) {
      search.charactersLeft -= known.found.length
      return known.found
    }
    const found: Replacement[] = []
    const findIn = (decoded: DecodedText, isJoined = false) => {
      if (search.charactersLeft < 0) return
      const inside = this.#searchRuns(decoded.text, { encodings: encodings - 1, joins: !isJoined }, search)
      for (const part of locate(decoded, inside)) found.push(part)
    }
    for (const level of decodeEscapes(text)) {
      search.charactersLeft -= level.text.length + CHARACTERS_PER_TEXT
      if (search.charactersLeft < 0) return found
      for (const part of locate(level, this.#matchRuns(level.text))) found.push(part)
      if (encodings > 0) for (const digits of decodeDigits(level.text)) findIn(compose(level, digits))
    }
    if (encodings > 0 && joins) for (const joined of joinStrings(text)) findIn(joined, true)
    const merged = mergeRanges(found)
    search.known.set(text, { encodings, joins, found: merged })
    return merged
  }

  #matchRuns(text: string): Replacement[] {
    const found: Replacement[] = []
    const readRun = (at: number) => text.slice(at, at + RUN_CHARACTERS).toLowerCase()
    for (let tested = 0; tested + HASHED_CHARACTERS <= text.length; tested += STRIDE) {
      if (this.#hashes[hashAt(text, tested)] === 0) continue
      for (let start = Math.max(0, tested - STRIDE + 1); start <= tested; start += 1) {
        const run = readRun(start)
        const shown = this.#runs.get(run)
        if (shown === undefined) continue
        let end = start + RUN_CHARACTERS
        while (this.#runs.has(readRun(end - RUN_CHARACTERS + 1))) end += 1
        const isOwn = this.#ownRuns.has(run) && this.#isOwn(text.slice(start, end))
        if (!isOwn) found.push({ start, end, shown })
        tested = end - HASHED_CHARACTERS + 1 - STRIDE
        break
      }
    }
    return found
  }

  #matchWhole(text: string): Replacement[] {
    if (this.#whole === undefined) return []
    return [...text.matchAll(this.#whole)].flatMap(({ index, 0: secret }) => {
      const shown = this.#complete.get(secret.toLowerCase()) ?? fingerprintSecret(secret)
      const isOwn = secret.length >= RUN_CHARACTERS && this.#isOwn(secret)
      return isOwn ? [] : [{ start: index, end: index + secret.length, shown }]
    })
  }

  #isOwn(text: string): boolean {
    return this.#ownText.includes(text.toLowerCase())
  }
}

/** Describes a text that the mask hides because it did not search all of it. */
function describeHidden(text: string): string {
  return `(${text.length} characters hidden: too many encodings)`
}

/** Returns the contents of all strings of a JSON text, names of fields included. */
function listJsonStrings(json: string): TextRange[] {
  const strings: TextRange[] = []
  for (let start = findQuote(json, 0) + 1; start < json.length;) {
    const end = findQuote(json, start)
    strings.push({ start, end })
    start = findQuote(json, end + 1) + 1
  }
  return strings
}

function sliceRange(text: string, { start, end }: TextRange): string {
  return text.slice(start, end)
}

function locate(decoded: DecodedText, found: readonly Replacement[]): Replacement[] {
  return found.flatMap(({ shown, ...range }) => decoded.locate(range).map((part) => ({ ...part, shown })))
}

/** Hashes four characters, in the same way for both letter cases. */
function hashAt(text: string, at: number): number {
  const code = (index: number) => text.charCodeAt(at + index) | 0x20
  return (code(0) ^ (code(1) << 4) ^ (code(2) << 8) ^ (code(3) << 11)) & 0xff_ff
}

/**
 * Returns the forms of a secret whose runs are masked: as text, as the bytes of its UTF-8 form, without the escapes that it
 * may contain by chance, and in Base64. A text in Base64 whose letter case has changed cannot be decoded.
 */
function listForms(secret: string): string[] {
  const texts = Array.from(decodeEscapes(secret), ({ text }) => text)
  return texts.flatMap((text) => [text, Buffer.from(text).toString('latin1'), ...listBase64Forms(text)])
}

/** Returns the Base64 digits that depend only on the secret, for each of its three positions in a longer text. */
function listBase64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6)]
    return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(first, last))
  })
}

/** Returns patterns that match a secret as a whole: with its prefix in any place, without it as the value of a field. */
function listPatterns(secret: string, body: string): string[] {
  const prefixed = secret === body ? [] : [`(?<![\\w-])${escapePattern(secret)}(?![\\w-])`]
  if (body.length < MIN_VALUE_CHARACTERS || body.length >= RUN_CHARACTERS) return prefixed
  return [...prefixed, `(?<=^|["'=/]|: ?|\\b(?:bearer|basic) )${escapePattern(body)}(?=$|["'&;,:@])`]
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`)
}
