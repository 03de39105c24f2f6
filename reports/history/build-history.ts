import type { ConformanceDocument } from '../conformance-document.ts'
import { describeIncompleteReason, describeVerdict, listSeenDifferences } from '../conformance-verdict.ts'
import { formatCount } from '../../common/format-count.ts'
import type { ResultDocument } from '../documents.ts'
import { isGatewayRun, listRuns } from '../gateway-run.ts'
import type { LoadDocument } from '../load-document.ts'
import { describeLoadVerdict } from '../load-verdict.ts'

export interface RunHistory {
  /** `Conformance of http://…` or `Load of http://…, scenario chat-stream`. */
  readonly title: string
  readonly runs: readonly HistoryRun[]
}

export interface HistoryRun {
  /** Start time in ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  /** Part of the suite or kind of load: `full`, `--only 4.2`, `smoke, constant`. */
  readonly kind: string
  readonly verdict: string
  /** Reason for the verdict, or an empty string if there is nothing to explain. */
  readonly reason: string
  /** Counts such as failures, warnings and requests, keyed by their column heading. */
  readonly counts: Readonly<Record<string, number>>
  /** Latency percentiles in milliseconds, keyed by `<operation>.<metric>.<percentile>`. */
  readonly percentilesMs: Readonly<Record<string, number>>
}

/** Groups runs by target and scenario. Partial runs and gateways have groups of their own. */
export function buildHistories(documents: readonly ResultDocument[]): RunHistory[] {
  const entries = documents.flatMap((document): { readonly title: string; readonly run: HistoryRun }[] => {
    if (document.kind === 'prove') return []
    if (document.kind === 'load') return [{ title: titleOfLoad(document), run: fromLoad(document) }]
    return listRuns(document).map((run) => ({ title: titleOfConformance(run), run: fromConformance(run) }))
  })
  return [...Map.groupBy(entries, ({ title }) => title)]
    .map(([title, group]) => ({
      title,
      runs: group.map(({ run }) => run).toSorted((a, b) => a.startedAt.localeCompare(b.startedAt)),
    }))
    .toSorted((a, b) => a.title.localeCompare(b.title))
}

function describeAddress({ url, embedded }: { readonly url: string; readonly embedded: boolean }): string {
  return embedded ? 'the built-in emulator' : url
}

function titleOfLoad({ target, scenario, segment, search }: LoadDocument): string {
  const part = segment !== undefined && 'index' in segment ? ', single segments' : ''
  return `Load of ${describeAddress(target)}, scenario ${scenario}${search === undefined ? '' : ', searches'}${part}`
}

function titleOfConformance(run: ConformanceDocument): string {
  const title = `${isGatewayRun(run) ? 'Gateway' : 'Conformance of'} ${describeAddress(run.target)}`
  return `${title}${isGatewayRun(run) ? ` in front of ${run.upstream}` : ''}${isPartial(run) ? ', partial runs' : ''}`
}

function isPartial({ selection }: ConformanceDocument): boolean {
  return selection !== null && selection.only.length + selection.skip.length > 0
}

function describeSelection(run: ConformanceDocument): string {
  const { only, skip } = run.selection ?? { only: [], skip: [] }
  const flags = [
    ...(only.length === 0 ? [] : [`--only ${only.join(',')}`]),
    ...(skip.length === 0 ? [] : [`--skip ${skip.join(',')}`]),
    ...(run.strict ? ['--strict'] : []),
  ]
  return isPartial(run) ? flags.join(' ') : ['full', ...flags].join(' ')
}

/** Describes the most important cause of a verdict. Returns an empty string for a run that simply conformed. */
function describeReason(run: ConformanceDocument): string {
  const { verdict, causes, target } = run
  if (verdict === 'conformant') {
    return listSeenDifferences(run)
      .map(({ text }) => text)
      .join('; ')
  }
  // Causes of failures come first.
  const [first, ...others] = causes
  if (verdict !== 'non-conformant' || target.problem !== undefined || first === undefined) {
    return describeIncompleteReason(run) ?? describeVerdict(run)
  }
  return `${first.title}${others.length === 0 ? '' : ` (and ${formatCount(others.length, 'other cause')})`}`
}

function fromConformance(run: ConformanceDocument): HistoryRun {
  const { startedAt, durationMs, verdict, spent, latency, checks } = run
  const differences = listSeenDifferences(run).length
  const count = (wanted: string): number => checks.filter((check) => check.verdict === wanted).length
  return {
    startedAt,
    durationMs,
    kind: describeSelection(run),
    verdict,
    reason: describeReason(run),
    counts: {
      Failures: count('fail'),
      Warnings: count('warn'),
      'Not testable': count('not-testable'),
      ...(differences > 0 && { 'Declared differences': differences }),
      Passed: count('pass'),
      Requests: spent.requests,
    },
    percentilesMs: Object.fromEntries(
      latency
        .filter(({ n }) => n > 0)
        .flatMap(({ operation, figure, p50, p99 }) => [
          [`${operation}.${figure}.p50`, p50],
          [`${operation}.${figure}.p99`, p99],
        ]),
    ),
  }
}

function fromLoad(document: LoadDocument): HistoryRun {
  const { startedAt, durationMs, profile, arrivals, verdict, requests, metrics, goodputPerSecond } = document
  const percentiles = Object.entries(metrics).flatMap(([operation, figures]) =>
    Object.entries(figures)
      .filter(([metric, { n }]) => n > 0 && metric !== 'startLagMs')
      .flatMap(([metric, { p50, p99 }]): [string, number][] => {
        const name = `${operation}.${metric.replace(/Ms$/, '')}`
        return [
          [`${name}.p50`, p50],
          [`${name}.p99`, p99],
        ]
      }),
  )
  return {
    startedAt,
    durationMs,
    kind: `${profile}, ${arrivals}`,
    verdict,
    reason: describeLoadVerdict(document),
    counts: {
      Requests: requests.sent,
      Failed: requests.failed,
      Dropped: requests.dropped,
      'Goodput per second': goodputPerSecond,
    },
    percentilesMs: Object.fromEntries(percentiles),
  }
}
