import type { Reviewed } from './reviewed.ts'
import type { Software } from './software.ts'

/** Causes that a row of the table names: the lists have all of them. */
const MAX_CAUSES = 3

/** Renders the table of `docs/other-software.md` from the reviewed lists. */
export function renderTable(rows: readonly { readonly software: Software; readonly reviewed: Reviewed }[]): string {
  return [
    '| software | version | verdict | failures, warnings | causes of most failures |',
    '|---|---|---|---|---|',
    ...rows.map(({ software, reviewed }) => {
      const { version, verdict } = reviewed
      const counts = `${count(reviewed, 'fail')}, ${count(reviewed, 'warn')}`
      const link = `[${software.title}](../tests/gateways/reviewed/${software.id}.json)`
      return `| ${link} | ${version} | ${verdict} | ${counts} | ${causesOf(reviewed)} |`
    }),
  ].join('\n')
}

function count({ findings }: Reviewed, verdict: 'fail' | 'warn'): number {
  return findings
    .filter(({ found }) => found.startsWith(`${verdict} `))
    .reduce((sum, { checks }) => sum + checks.length, 0)
}

/** The causes with most failures. */
function causesOf({ causes, findings }: Reviewed): string {
  const named = causes
    .map((cause) => /^(?<title>.*): (?<failures>\d+)$/.exec(cause)?.groups ?? {})
    .toSorted((a, b) => Number(b['failures']) - Number(a['failures']))
    .slice(0, MAX_CAUSES)
    .map(({ title = '', failures }) => `${title}: ${failures}`)
  if (named.length > 0) return named.join('<br>')
  return findings.map(({ because }) => because).join('<br>') || '–'
}
