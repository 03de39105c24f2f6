const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object', 'file'])

/**
 * Formats a quotation of the specification as prose. Converts a table row into a phrase: `| prompt | string | yes |
 * Text |` becomes `prompt (string, required): Text`.
 */
export function formatQuote(quote: string): string {
  if (!quote.startsWith('|')) return quote
  const [name = '', ...cells] = quote
    .trim()
    .replaceAll(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
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
