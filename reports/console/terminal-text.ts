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

/**
 * Creates the functions of {@link TerminalColors}.
 * @param hasColor false for files, pipes and NO_COLOR
 */
export function createTerminalColors(hasColor: boolean): TerminalColors {
  const style =
    (code: number) =>
    (text: string): string =>
      hasColor ? `\u001b[${code}m${text}\u001b[0m` : text
  return { bold: style(1), red: style(31), green: style(32), yellow: style(33), dim: style(2) }
}

/**
 * Escapes text of a target or a check for a terminal, and truncates it to `longest` characters. Removes the middle,
 * because the end usually describes the response. Cuts between words unless a word is very long.
 */
export function escapeTerminalText(text: string, longest = 300): string {
  const end = Math.floor(longest / 3)
  const cut = text.length > longest ? `${startOf(text, longest - end)} … ${endOf(text, end)}` : text
  return makePrintableLine(cut)
}

/** Maximum number of characters by which a cut moves to reach a space. */
const MAX_WORD = 24

/** Returns at most `length` characters from the start of a string. Cuts between words unless a word is very long. */
function startOf(text: string, length: number): string {
  const space = text.lastIndexOf(' ', length)
  return text.slice(0, space > length - MAX_WORD && space > 0 ? space : length)
}

/** Returns at most `length` characters from the end of a string. Cuts between words unless a word is very long. */
function endOf(text: string, length: number): string {
  const start = text.length - length
  const space = text.indexOf(' ', start - 1)
  return text.slice(space !== -1 && space < start + MAX_WORD && space < text.length - 1 ? space + 1 : start)
}
