import { hash } from 'node:crypto'

/** Replacement of a secret that has too few characters for a fingerprint. */
export const HIDDEN = '(hidden)'

/**
 * Minimum number of characters of a secret with a fingerprint. A fingerprint would let a reader check guesses of a shorter
 * one.
 */
const MIN_CHARACTERS = 20

/**
 * Formats a secret so that a reader can recognize it, but learns none of its characters: the start of its SHA-256 digest,
 * such as `sha256:1f3870be`. Hides a short secret completely.
 */
export function fingerprintSecret(secret: string): string {
  return secret.length < MIN_CHARACTERS ? HIDDEN : `sha256:${hash('sha256', secret).slice(0, 8)}`
}
