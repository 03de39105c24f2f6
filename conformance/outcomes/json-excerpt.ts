import type { JsonExcerpt } from './observed-facts.ts'

/** Maximum JSON text of a value that an outcome keeps whole, in characters. */
const MAX_SHOWN_CHARACTERS = 80

/**
 * Prepares a JSON value for an outcome: the whole value, or `{ cut }` with the start of its JSON text. A missing value
 * becomes null. The ellipsis at the end of `cut` tells `SecretMask` that a key may be cut there.
 */
export function toExcerpt(value: unknown): JsonExcerpt {
  const json = JSON.stringify(value ?? null)
  return json.length > MAX_SHOWN_CHARACTERS ? { cut: `${json.slice(0, MAX_SHOWN_CHARACTERS)}…` } : copyOf(value)
}

function copyOf(value: unknown): JsonExcerpt {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}

/** Formats a prepared value as JSON text, with an ellipsis if it was cut. */
export function formatExcerpt(value: JsonExcerpt): string {
  return isCut(value) ? value.cut : JSON.stringify(value)
}

function isCut(value: JsonExcerpt): value is { readonly cut: string } {
  return typeof value === 'object' && value !== null && 'cut' in value && typeof value['cut'] === 'string'
}
