import { readFileSync } from 'node:fs'

/** Reads the Markdown text of the specification, `spec.md`, unchanged. */
export function readSpecText(): string {
  return readFileSync(new URL('spec.md', import.meta.url), 'utf8')
}
