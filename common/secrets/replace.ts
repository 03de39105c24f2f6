import { findQuote, type TextRange } from './decoded-text.ts'

export interface Replacement extends TextRange {
  readonly shown: string
}

/** Replaces parts of a text. Parts that touch or overlap have one replacement. */
export function replaceRanges(text: string, replacements: readonly Replacement[]): string {
  let replaced = ''
  let copied = 0
  for (const { start, end, shown } of mergeRanges(replacements)) {
    replaced += text.slice(copied, start) + shown
    copied = end
  }
  return replaced + text.slice(copied)
}

/** Merges parts that touch or overlap. */
export function mergeRanges(replacements: readonly Replacement[]): Replacement[] {
  const merged: { start: number; end: number; shown: string }[] = []
  for (const { start, end, shown } of replacements.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end, shown })
  }
  return merged
}

/** Replaces parts of a JSON text so that the result is valid JSON. A number or literal becomes a string. */
export function replaceInJson(json: string, replacements: readonly Replacement[]): string {
  const sorted = mergeRanges(replacements)
  let next = 0
  let replaced = ''
  for (let start = 0; start < json.length;) {
    const isString = json[start] === '"'
    const end = isString ? findQuote(json, start + 1) + 1 : findQuote(json, start)
    const inside: Replacement[] = []
    for (; next < sorted.length; next += 1) {
      const part = sorted[next]
      if (part === undefined || part.start >= end) break
      inside.push({ start: Math.max(0, part.start - start), end: Math.min(end, part.end) - start, shown: part.shown })
      if (part.end > end) break // The rest of this part is in the next piece.
    }
    replaced += (isString ? replaceInString : replaceScalars)(json.slice(start, end), inside)
    start = end
  }
  return replaced
}

/** Replaces parts of a JSON string. Replaces the whole string if a part begins or ends inside an escape. */
function replaceInString(literal: string, parts: readonly Replacement[]): string {
  const inner = parts
    .map(({ start, end, shown }) => ({ start: Math.max(1, start), end: Math.min(literal.length - 1, end), shown }))
    .filter(({ start, end }) => start < end)
  const [first] = inner
  if (first === undefined) return literal
  const replaced = replaceRanges(literal, inner)
  return isJson(replaced) ? replaced : JSON.stringify(first.shown)
}

/** Replaces the numbers and literals between two strings of a JSON text that contain one of the parts. */
function replaceScalars(text: string, parts: readonly Replacement[]): string {
  if (parts.length === 0) return text
  return text.replaceAll(/[^\s[\]{},:]+/g, (scalar, index: number) => {
    const part = parts.find(({ start, end }) => start < index + scalar.length && end > index)
    return part === undefined ? scalar : JSON.stringify(part.shown)
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
