import { makePrintableLine } from '../../common/printable-text.ts'

/** Maximum number of characters of a command. Most commands are shorter, and a truncated command cannot be run. */
export const MAX_COMMAND_CHARACTERS = 8000

/** Functions that add colours to text for a terminal, or return it unchanged. */
export interface TerminalColors {
  bold(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  dim(text: string): string
}

/** Creates functions that colour text, or leave it unchanged for files, pipes and NO_COLOR. */
export function createTerminalColors(hasColor: boolean): TerminalColors {
  const style =
    (code: number) =>
    (text: string): string =>
      hasColor ? `\u001b[${code}m${text}\u001b[0m` : text
  return { bold: style(1), red: style(31), green: style(32), yellow: style(33), dim: style(2) }
}

/** Escapes text of a target for a terminal. Cuts out the middle of a text with more characters than `longest`. */
export function escapeTerminalText(text: string, longest = 300): string {
  const end = Math.floor(longest / 3)
  return makePrintableLine(text.length > longest ? `${text.slice(0, longest - end)} … ${text.slice(-end)}` : text)
}
