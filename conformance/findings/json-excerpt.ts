import type { JsonExcerpt } from './fact-params.ts'

/** Maximum length of a JSON value that an outcome contains in full, in characters. */
const MAX_SHOWN_CHARACTERS = 80

/** Returns a short JSON value, or `{ cut }` with the start of a long one. A number outside of a double becomes text. */
export function createExcerpt(value: unknown): JsonExcerpt {
  const json = JSON.stringify(value ?? null)
  return json.length > MAX_SHOWN_CHARACTERS ? { cut: `${json.slice(0, MAX_SHOWN_CHARACTERS)}…` } : copyOf(value)
}

function copyOf(value: unknown): JsonExcerpt {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}

/** Formats a shortened value as JSON text, with an ellipsis if it is truncated. */
export function formatExcerpt(value: JsonExcerpt): string {
  return isCut(value) ? value.cut : JSON.stringify(value)
}

function isCut(value: JsonExcerpt): value is { readonly cut: string } {
  return typeof value === 'object' && value !== null && 'cut' in value && typeof value['cut'] === 'string'
}
