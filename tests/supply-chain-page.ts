import { readFileSync } from 'node:fs'

export const SUPPLY_CHAIN_PAGE = readFileSync(new URL('../docs/reference/supply-chain.md', import.meta.url), 'utf8')

/** Returns the cells of each row in the table below a heading. Omits the header row. */
export function parseTableRows(heading: string): string[][] {
  const section = SUPPLY_CHAIN_PAGE.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | '))
  return rows.slice(1)
}
