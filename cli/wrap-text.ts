/** Width of help that is not printed to a terminal. */
const DEFAULT_COLUMNS = 80

/** Minimum width in which wrapping makes a text easier to read. */
const MIN_COLUMNS = 30

// The escape character starts the codes for colours.
const COLOR_CODES = new RegExp(String.raw`${String.fromCodePoint(27)}\[\d+m`, 'g')

/** Matches a line with a command of this program, which a user may copy. */
const COMMAND_LINE = /^ +(?:npm run|npx|touchstone|curl) /

/**
 * Wraps the lines of a report between words, if it is printed to a terminal. Keeps tables, and `curl` commands, which a
 * user may copy.
 * @param columns width of the terminal; undefined for a file or a pipe, for which the text stays unchanged
 */
export function wrapReport(text: string, columns = process.stdout.isTTY ? process.stdout.columns : undefined): string {
  if (columns === undefined || columns < MIN_COLUMNS) return text
  return mapLines(text, (line) => (/\bcurl -/.test(line) ? [line] : wrapLine(line, columns)))
}

/** Wraps help between words. Ends each part of a command with a backslash, so that a user can copy the command. */
export function wrapHelp(text: string, columns = process.stdout.columns || DEFAULT_COLUMNS): string {
  if (columns < MIN_COLUMNS) return text
  return mapLines(text, (line) => {
    if (!COMMAND_LINE.test(line)) return wrapLine(line, columns)
    const parts = wrapWords(line, { columns: columns - 2, indent: hangingIndentOf(line), at: / (?=-)/ })
    return parts.map((part, index) => (index === parts.length - 1 ? part : `${part} \\`))
  })
}

function mapLines(text: string, wrap: (line: string) => string[]): string {
  return text
    .split('\n')
    .flatMap((line) => wrap(line))
    .join('\n')
}

function wrapLine(line: string, columns: number): string[] {
  const visible = line.replaceAll(COLOR_CODES, '')
  const gaps = [...visible.matchAll(/(?<=\S) {2,}(?=\S)/g)]
  const gap = gaps.at(-1)
  const last = gap === undefined ? 0 : gap.index + gap[0].length
  const isNarrow = last > 0 && last <= columns / 2
  // A line with several gaps is the row of a table. Its last cell can be a sentence.
  if (gaps.length > 1 && !isNarrow) return [line]
  const indent = isNarrow ? last : hangingIndentOf(visible)
  return wrapWords(line, { columns, indent })
}

/** Breaks a line at single spaces, or at matches of `at`. A word that is longer than a line stays whole. */
function wrapWords(
  line: string,
  {
    columns,
    indent,
    at = /(?<=\S) (?=\S)/,
  }: { readonly columns: number; readonly indent: number; readonly at?: RegExp },
): string[] {
  if (widthOf(line) <= columns) return [line]
  const lines: string[] = []
  let current = ''
  for (const word of line.split(at)) {
    if (current === '') current = word
    else if (widthOf(current) + 1 + widthOf(word) <= columns) current += ` ${word}`
    else {
      lines.push(current)
      current = ' '.repeat(indent) + word
    }
  }
  return [...lines, current]
}

/** Returns the indentation of the continued lines. Paragraphs without indentation have none. */
function hangingIndentOf(line: string): number {
  const indent = line.length - line.trimStart().length
  return indent === 0 ? 0 : indent + 2
}

function widthOf(text: string): number {
  return text.replaceAll(COLOR_CODES, '').length
}
