/** Functions that add colours to text for a terminal, or return it unchanged. */
export interface TerminalColors {
  bold(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  dim(text: string): string
}

/** Creates the functions. Callers pass false for files, pipes and NO_COLOR. */
export function createTerminalColors(hasColor: boolean): TerminalColors {
  const style =
    (code: number) =>
    (text: string): string =>
      hasColor ? `\u001b[${code}m${text}\u001b[0m` : text
  return { bold: style(1), red: style(31), green: style(32), yellow: style(33), dim: style(2) }
}

/**
 * Control, invisible and bidirectional characters and line separators, which could let a target control the terminal.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Escapes text of a target or a check for a terminal, and truncates it to `longest` characters. Truncates in the
 * middle, because the end usually contains the response.
 */
export function escapeTerminalText(text: string, longest = 300): string {
  const end = Math.floor(longest / 3)
  const cut = text.length > longest ? `${text.slice(0, longest - end)} … ${text.slice(-end)}` : text
  return cut.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** Formats a count with its noun: `1 check`, `2 checks`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
