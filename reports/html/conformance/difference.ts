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
  const shorter = Math.min(expected.length, actual.length)
  let start = 0
  while (start < shorter && expected[start] === actual[start]) start += 1
  let end = 0
  while (end < shorter - start && expected.at(-1 - end) === actual.at(-1 - end)) end += 1
  const parts = [expected, actual].map((text) => text.slice(start, text.length - end))
  const isSimilar = (start + end) / Math.max(expected.length, actual.length, 1) >= MIN_COMMON_SHARE
  return isSimilar && parts.every((part) => part !== '')
    ? { expected: parts.slice(0, 1), actual: parts.slice(1) }
    : undefined
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
