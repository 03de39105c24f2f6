import { createTerminalColors, escapeTerminalText } from './terminal-text.ts'

export interface WrittenFile {
  /** Description of the file's contents, such as `Every request and response`. */
  readonly what: string
  readonly paths: readonly string[]
}

/** Renders the last lines of a report, which name the files that it wrote. */
export function renderWrittenFiles(places: readonly WrittenFile[], hasColor: boolean): string {
  const paint = createTerminalColors(hasColor)
  const lines = places.map(
    ({ what, paths }) => `${paint.dim(`${what}:`)} ${paths.map((path) => escapeTerminalText(path)).join(', ')}`,
  )
  return `\n${lines.join('\n')}\n`
}
