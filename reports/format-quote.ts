import { findSpecLine, listSpecLines, type SpecLine } from './spec-lines.ts'

const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object', 'file'])

/** Matches a sentence that only introduces the table below it. */
const INTRODUCTION = /:$|^Available model IDs\.$/

/**
 * Formats a quotation of the specification as prose that a reader understands without its context:
 * - It completes a part of a sentence or of a table row.
 * - It adds the entries of a table to the sentence that introduces the table, such as `Status codes:`.
 * - It converts a table row into a phrase: `| prompt | string | yes | Text |` becomes `prompt (string, required): Text`.
 */
export function formatQuote(section: string, quote: string): string {
  const line = findSpecLine(section, quote)
  if (line === undefined || line.text.startsWith('#')) return formatRow(quote)
  if (line.text.startsWith('|')) return formatRow(line.text)
  const sentences = line.text.replace(/^(?:- |\d+\. )/, '').split(/(?<=\.) (?=[A-Z])/)
  const sentence = sentences.find((one) => one.includes(quote)) ?? quote
  if (!INTRODUCTION.test(sentence)) return sentence
  const entries = listTableRows(line).map(nameRow)
  return entries.length === 0 ? sentence : `${sentence.replace(/[.:]$/, '')}: ${entries.join(', ')}`
}

/** Returns the rows of the table that follows a line after an empty line. */
function listTableRows({ number }: SpecLine): string[] {
  const [empty, , , ...rows] = listSpecLines()
    .slice(number)
    .map(({ text }) => text)
  const end = rows.findIndex((text) => !text.startsWith('|'))
  return empty === '' ? rows.slice(0, end) : []
}

function splitRow(row: string): string[] {
  return row
    .trim()
    .replaceAll(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
}

/** Returns the name of a row. For a status, adds its meaning, e.g. `404 Not Found`. */
function nameRow(row: string): string {
  const [name = '', second = ''] = splitRow(row)
  return /^\d{3}$/.test(name) ? `${name} ${second}` : name
}

function formatRow(quote: string): string {
  if (!quote.startsWith('|')) return quote
  const [name = '', ...cells] = splitRow(quote)
  if (/^\d{3}$/.test(name)) return `${name} ${cells.join(': ')}`
  const type = cells[0] !== undefined && TYPES.has(cells[0]) ? cells.shift() : undefined
  const need = cells[0] === 'yes' || cells[0] === 'no' ? cells.shift() : undefined
  const kind = [
    ...(type === undefined ? [] : [type]),
    ...(need === undefined ? [] : [need === 'yes' ? 'required' : 'optional']),
  ]
  const start = kind.length === 0 ? name : `${name} (${kind.join(', ')})`
  return cells.length === 0 ? start : `${start}: ${cells.join(', ')}`
}
