/** A Markdown table of the specification. Cells are trimmed. */
export interface SpecTable {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A numbered section of the specification, without its subsections. */
export interface SpecSection {
  /** Section number, for example `4.2`. */
  readonly number: string
  /** Text of the heading after the number, for example `GET {base_url}/v1/models`. */
  readonly title: string
  readonly lines: readonly string[]
  readonly tables: readonly SpecTable[]
}

/** Splits the Markdown of `spec.md` at its numbered headings. Ignores the text before the first heading. */
export function parseSections(markdown: string): SpecSection[] {
  const found: { number: string; title: string; lines: string[] }[] = []
  for (const line of markdown.split('\n')) {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)\.? (.+)$/.exec(line)
    if (heading) {
      const [, number = '', title = ''] = heading
      found.push({ number, title, lines: [] })
    } else {
      found.at(-1)?.lines.push(line)
    }
  }
  return found.map((section) => ({ ...section, tables: parseTables(section.lines) }))
}

function parseTables(lines: readonly string[]): SpecTable[] {
  const tables: { header: string[]; rows: string[][] }[] = []
  let inTable = false
  for (const line of lines) {
    const isRow = line.startsWith('|')
    if (isRow && !inTable) {
      tables.push({ header: parseCells(line), rows: [] })
    } else if (isRow && !/^\|(?:-+\|)+$/.test(line)) {
      tables.at(-1)?.rows.push(parseCells(line))
    }
    inTable = isRow
  }
  return tables
}

function parseCells(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim())
}
