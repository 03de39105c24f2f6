import type { ReviewedSoftware } from './reviewed.ts'
import type { ThirdPartySoftware } from './third-party-software.ts'

/** Maximum number of causes in a row of the table. The reviewed lists contain all causes. */
const MAX_CAUSES = 3

/** Renders the table of `docs/reference/other-software.md` from the reviewed lists. */
export function renderSoftwareTable(
  rows: readonly { readonly software: ThirdPartySoftware; readonly reviewed: ReviewedSoftware }[],
): string {
  return [
    '| software | version | verdict | failures, warnings | causes of most failures |',
    '|---|---|---|---|---|',
    ...rows.map(({ software, reviewed }) => {
      const { version, verdict } = reviewed
      const counts = `${count(reviewed, 'fail')}, ${count(reviewed, 'warn')}`
      const link = `[${software.title}](../../tests/gateways/reviewed/${software.id}.json)`
      return `| ${link} | ${version} | ${verdict} | ${counts} | ${causesOf(reviewed)} |`
    }),
  ].join('\n')
}

function count({ findings }: ReviewedSoftware, verdict: 'fail' | 'warn'): number {
  return findings
    .filter(({ found }) => found.startsWith(`${verdict} `))
    .reduce((sum, { checks }) => sum + checks.length, 0)
}

/** Returns the causes with the most failures. Without causes, returns the reasons for the findings. */
function causesOf({ causes, findings }: ReviewedSoftware): string {
  const named = causes
    .map((cause) => /^(?<title>.*): (?<failures>\d+)$/.exec(cause)?.groups ?? {})
    .toSorted((a, b) => Number(b['failures']) - Number(a['failures']))
    .slice(0, MAX_CAUSES)
    .map(({ title = '', failures }) => `${title}: ${failures}`)
  if (named.length > 0) return named.join('<br>')
  return findings.map(({ because }) => because).join('<br>') || '–'
}
