import type { CheckEntry } from '../../conformance-document.ts'
import { html, type Markup } from '../markup.ts'

/** The pieces of the expected and of the actual text that differ. */
export interface TextDifference {
  readonly expected: readonly string[]
  readonly actual: readonly string[]
}

/**
 * Minimum fraction of a value that the expected and the actual text must share. Below it, the whole value is marked.
 */
const MIN_COMMON_SHARE = 0.5

/** Finds the differing pieces from a finding's parameters: statuses, types, values, fields, headers or list items. */
export function findDifference({ params }: CheckEntry): TextDifference {
  const expected = isObject(params['expected']) ? params['expected'] : {}
  const values = compareValues(expected, params)
  return {
    expected: [
      ...listTexts(expected['status']),
      ...values.expected,
      ...listTexts(expected['type']),
      ...listTexts(expected['mediaType']),
      ...listTexts(expected['header']),
      ...listTexts(expected['count']),
      ...listTexts(expected['atMost']),
    ],
    actual: [
      ...listTexts(params['actualStatus']),
      ...values.actual,
      ...(typeof params['path'] === 'string' && !('actual' in params) ? ['is missing'] : []),
      ...listTexts(params['actualMediaType']),
      ...(typeof params['header'] === 'string' && !('actual' in params) ? ['is missing'] : []),
      ...listTexts(params['actualCount']),
      ...listTexts(params['missing']),
      ...findDamage(params),
    ],
  }
}

/** Compares a JSON value with the expected one. For similar texts, returns only the pieces that differ. */
function compareValues(
  expected: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): TextDifference {
  if (!('actual' in params)) return { expected: [], actual: [] }
  const actual = params['actual']
  if (!('value' in expected)) return { expected: [], actual: [JSON.stringify(actual)] }
  const expectedValue = expected['value']
  const parts =
    typeof expectedValue === 'string' && typeof actual === 'string'
      ? findDifferingParts(expectedValue, actual)
      : undefined
  return parts ?? { expected: [JSON.stringify(expectedValue)], actual: [JSON.stringify(actual)] }
}

function findDifferingParts(expected: string, actual: string): TextDifference | undefined {
  const { start, end } = findCommonEnds(expected, actual)
  const parts = [expected, actual].map((text) => text.slice(start, text.length - end))
  const isSimilar = (start + end) / Math.max(expected.length, actual.length, 1) >= MIN_COMMON_SHARE
  return isSimilar && parts.every((part) => part !== '')
    ? { expected: parts.slice(0, 1), actual: parts.slice(1) }
    : undefined
}

/** Finds the part of a forwarded text that differs from the text that was sent. */
function findDamage({ sent, arrived }: CheckEntry['params']): readonly string[] {
  if (typeof sent !== 'string' || typeof arrived !== 'string') return []
  return findDifferingParts(sent, arrived)?.actual ?? []
}

/** Forwarded parts whose excerpts contain the text itself, as UTF-8. */
const TEXTS: ReadonlySet<unknown> = new Set(['text', 'transcription', 'file-name'])
const MAX_SHOWN_BYTES = 16

/** The ends of a gateway between which a text changed: a file name goes to the upstream, and other texts to the client. */
export function nameEnds({ params: { part } }: CheckEntry): { readonly sender: string; readonly receiver: string } {
  return part === 'file-name'
    ? { sender: 'client sent', receiver: 'upstream received' }
    : { sender: 'upstream sent', receiver: 'client received' }
}

/** Finds the bytes (hex) in which the excerpt of a forwarded text differs from the excerpt of the sent text. */
export function findByteDifference({
  params: { part, sent, arrived },
}: CheckEntry): { readonly sent: string; readonly arrived: string } | undefined {
  if (!TEXTS.has(part) || typeof sent !== 'string' || typeof arrived !== 'string') return undefined
  // Compares code points, because half of a surrogate pair has no bytes in UTF-8.
  const [before, after] = [[...sent], [...arrived]]
  const { start, end } = findCommonEnds(before, after)
  const format = (points: readonly string[]): string => {
    const bytes = Buffer.from(points.slice(start, points.length - end).join(''))
    const hex = bytes.subarray(0, MAX_SHOWN_BYTES).toString('hex').replaceAll(/..\B/g, '$& ')
    return bytes.length > MAX_SHOWN_BYTES ? `${hex} …` : hex
  }
  return { sent: format(before), arrived: format(after) }
}

/** Counts the equal elements at the start and at the end of two lists. */
function findCommonEnds(
  one: ArrayLike<string>,
  other: ArrayLike<string>,
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start += 1
  let end = 0
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1
  return { start, end }
}

function listTexts(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Renders text, and marks the last occurrence of each part that is not within a longer word. */
export function renderMarkedText(text: string, parts: readonly string[]): Markup {
  const ranges = parts.flatMap((part) => findRange(text, part)).toSorted((a, b) => a.start - b.start)
  const pieces: Markup[] = []
  let at = 0
  for (const { start, end } of ranges) {
    if (start < at) continue
    pieces.push(html`${text.slice(at, start)}<mark>${text.slice(start, end)}</mark>`)
    at = end
  }
  return html`${pieces}${text.slice(at)}`
}

function findRange(text: string, part: string): { readonly start: number; readonly end: number }[] {
  if (part === '') return []
  for (let start = text.lastIndexOf(part); start !== -1; start = start === 0 ? -1 : text.lastIndexOf(part, start - 1)) {
    const end = start + part.length
    const isWhole =
      !(isWordCharacter(text[start - 1]) && isWordCharacter(part[0])) &&
      !(isWordCharacter(text[end]) && isWordCharacter(part.at(-1)))
    if (isWhole) return [{ start, end }]
  }
  return []
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character)
}
