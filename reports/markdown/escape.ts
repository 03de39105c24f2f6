import { makePrintable } from '../../common/printable-text.ts'
import { truncateText } from '../html/limit-page-size.ts'

/** Maximum size of a report. GitHub accepts pull request comments of up to 65,536 characters. */
export const MAX_MARKDOWN_BYTES = 65_000

/** Formats text of a target or a check as inline code, so that markup, mentions and links have no effect. */
export function formatCode(text: string, longest = 300): string {
  const line = makePrintable(truncateText(text, longest).replace(/[\n\t]/g, ' ')).replaceAll('|', '\\|')
  if (line.trim() === '') return '` `'
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  // Markdown requires a space inside each delimiter if the text starts or ends with a backtick.
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return fence + pad + line + pad + fence
}

/** Formats text as one line of prose. Escapes markup and disables mentions. */
export function escapeProse(text: string, longest = 300): string {
  return makePrintable(truncateText(text, longest).replace(/[\n\t]/g, ' '))
    .replace(/[\\`*_{}[\]()+!|~$-]/g, (character) => `\\${character}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[@#]/g, (sign) => `<span>${sign}</span>`)
    .replaceAll('://', '<span>:</span>//')
    .replace(/\bwww\./gi, (start) => `<span>${start.slice(0, 3)}</span>.`)
}

/** Renders a Markdown table. The cells must already be Markdown. */
export function renderMarkdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)]
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** Joins sections up to the maximum size. States the number of lines omitted from each. */
export function fitMarkdown(
  parts: readonly { readonly head: readonly string[]; readonly lines: readonly string[] }[],
): string {
  const out: string[] = []
  let left = MAX_MARKDOWN_BYTES - 1000
  for (const { head, lines } of parts) {
    const kept: string[] = []
    for (const text of [...head, ...lines]) {
      const size = Buffer.byteLength(text) + 1
      if (size > left) break
      left -= size
      kept.push(text)
    }
    const cut = head.length + lines.length - kept.length
    out.push(...kept, ...(cut > 0 ? ['', `*${cut} more lines are in the HTML report.*`] : []), '')
    if (left < 200) break
  }
  return `${out.join('\n').trimEnd()}\n`
}
