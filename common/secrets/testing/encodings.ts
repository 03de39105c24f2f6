import fc from 'fast-check'
import type { TextRange } from '../decoded-text.ts'

export interface EncodedSecret {
  readonly text: string
  /** Part of the text that encodes each run of eight characters of the secret, and nothing else. */
  readonly runs: readonly TextRange[]
}

/** Encodes a text. `choices` decides what the encoding leaves open, such as which characters are escaped. */
type Encoding = (text: string, choices: readonly number[]) => Encoded

interface Encoded {
  readonly text: string
  locate(range: TextRange): TextRange
}

/** Creates an encoding that converts each character on its own. */
function perCharacter(encode: (character: string, choice: number) => string): Encoding {
  return (text, choices) => {
    const pieces = Array.from({ length: text.length }, (_, at) =>
      encode(text.charAt(at), choices[at % choices.length] ?? 0),
    )
    const ends = pieces.map(() => 0)
    let length = 0
    for (const [at, piece] of pieces.entries()) ends[at] = length += piece.length
    const startOf = (at: number) => (at === 0 ? 0 : (ends[at - 1] ?? 0))
    return { text: pieces.join(''), locate: ({ start, end }) => ({ start: startOf(start), end: startOf(end) }) }
  }
}

/** Creates an encoding that escapes some characters, among them those that would begin an escape. */
function escapeSome(special: string, escapes: readonly ((character: string, choice: number) => string)[]): Encoding {
  return perCharacter((character, choice) => {
    const isPlain = choice % (escapes.length + 1) === 0 && !special.includes(character)
    return isPlain ? character : (escapes[choice % escapes.length]?.(character, choice) ?? '')
  })
}

function hexOf(character: string, digits: number, choice: number): string {
  const hex = character.charCodeAt(0).toString(16).padStart(digits, '0')
  return choice % 2 === 0 ? hex : hex.toUpperCase()
}

function escapeUnicode(character: string, choice: number): string {
  return `\\u${hexOf(character, 4, choice)}`
}

/** Escapes with braces and up to nine digits, or with two digits. */
function escapeCodePoint(character: string, choice: number): string {
  return choice === 5 ? `\\x${hexOf(character, 2, choice)}` : `\\u{${hexOf(character, 2 + choice * 2, choice)}}`
}

const NAMES: Readonly<Record<string, readonly string[]>> = { _: ['lowbar', 'UnderBar'], '-': ['hyphen', 'dash'] }

/** Refers to a character by its name if it has one, or by its number with up to ten digits. */
function referTo(character: string, choice: number): string {
  const name = NAMES[character]?.[choice % 2]
  if (name !== undefined) return `&${name};`
  const [start, digits] = choice % 2 === 0 ? ['&#', `${character.charCodeAt(0)}`] : ['&#x', hexOf(character, 2, choice)]
  return `${start}${digits.padStart(choice * 2, '0')};`
}

function escapePercent(character: string, choice: number): string {
  return `%${hexOf(character, 2, choice)}`
}

/** Encodes as Base64 after up to two other bytes, with either alphabet, with or without padding. */
const base64: Encoding = (text, [offset = 0, form = 0]) => {
  const before = offset % 3
  const bytes = Buffer.from('~'.repeat(before) + text, 'latin1')
  const encoded = bytes.toString(form % 2 === 0 ? 'base64' : 'base64url')
  return {
    text: encoded,
    locate: ({ start, end }) => ({
      start: Math.ceil(((start + before) * 8) / 6),
      end: Math.floor(((end + before) * 8) / 6),
    }),
  }
}

export const ENCODINGS = {
  plain: perCharacter((character) => character),
  upper: perCharacter((character) => character.toUpperCase()),
  lower: perCharacter((character) => character.toLowerCase()),
  json: escapeSome('\\"', [escapeUnicode, escapeUnicode]),
  jsonComplete: perCharacter(escapeUnicode),
  codePoint: escapeSome('\\"', [escapeUnicode, escapeCodePoint]),
  codePointComplete: perCharacter(escapeCodePoint),
  percent: escapeSome('%', [escapePercent, escapePercent]),
  percentComplete: perCharacter(escapePercent),
  html: escapeSome('&', [
    (character) => `&#${character.charCodeAt(0)};`,
    (character, choice) => `&#x${hexOf(character, 2, choice)};`,
  ]),
  references: perCharacter(referTo),
  hex: perCharacter((character, choice) => hexOf(character, 2, choice)),
  base64,
} as const satisfies Readonly<Record<string, Encoding>>

export type EncodingName = keyof typeof ENCODINGS

/** An encoding, and what it leaves open. */
export interface EncodingStep {
  readonly name: EncodingName
  readonly choices: readonly number[]
}

export function encodeSecret(secret: string, steps: readonly EncodingStep[]): EncodedSecret {
  let text = secret
  let runs: readonly TextRange[] = Array.from({ length: Math.max(0, secret.length - 7) }, (_, at) => ({
    start: at,
    end: at + 8,
  }))
  for (const { name, choices } of steps) {
    const encoded = ENCODINGS[name](text, choices)
    text = encoded.text
    runs = runs.map((run) => encoded.locate(run))
  }
  return { text, runs }
}

/** Returns the runs of eight characters of a secret that a text still contains in this encoding. */
export function findVisibleRuns(text: string, { text: encoded, runs }: EncodedSecret): string[] {
  return runs.map(({ start, end }) => encoded.slice(start, end)).filter((run) => text.includes(run))
}

const names = fc.constantFrom<EncodingName[]>(...(Object.keys(ENCODINGS) as EncodingName[])) // The cast restores the type of the keys.

/** Up to two encodings inside each other, after a change of the letter case. */
export const encodingSteps: fc.Arbitrary<readonly EncodingStep[]> = fc.array(
  fc.record({ name: names, choices: fc.array(fc.nat(5), { minLength: 1, maxLength: 7 }) }),
  { maxLength: 2 },
)

/** A random secret in the alphabet of API keys, long enough to be masked in every place. */
export const secretBody: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'), {
    minLength: 16,
    maxLength: 40,
  })
  .map((characters) => characters.join(''))
