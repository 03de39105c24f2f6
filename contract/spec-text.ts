import { readFileSync } from 'node:fs'

/** Reads the specification, in Markdown, byte for byte. */
export function readSpecText(): string {
  return readFileSync(new URL('spec.md', import.meta.url), 'utf8')
}
