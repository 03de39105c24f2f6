import { readFileSync } from 'node:fs'

/** Text of docs/supply-chain.md. */
export const PAGE = readFileSync(new URL('../docs/supply-chain.md', import.meta.url), 'utf8')

/** Returns the cells of each row of the table below a heading, without the table's own head. */
export function readRows(heading: string): string[][] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | '))
  return rows.slice(1) // the head
}
