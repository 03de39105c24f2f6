/** Paints text for a terminal, or leaves it as it is. */
export interface Paint {
  bold(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  dim(text: string): string
}

/** Colours, or none: files, pipes and NO_COLOR get none. */
export function createPaint(hasColor: boolean): Paint {
  const style =
    (code: number) =>
    (text: string): string =>
      hasColor ? `\u001b[${code}m${text}\u001b[0m` : text
  return { bold: style(1), red: style(31), green: style(32), yellow: style(33), dim: style(2) }
}

/** Control and invisible characters, line separators, marks that turn the direction of text: a target must not steer the terminal. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Text from a target or from a check, made safe for a terminal and cut to `longest` characters: in the middle, since what was
 * answered stands at the end.
 */
export function safeText(text: string, longest = 300): string {
  const end = Math.floor(longest / 3)
  const cut = text.length > longest ? `${text.slice(0, longest - end)} … ${text.slice(-end)}` : text
  return cut.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** `1 check`, `2 checks`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
