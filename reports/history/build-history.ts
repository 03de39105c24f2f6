import type { ConformanceDocument } from '../conformance-document.ts'
import { getWorstVerdict, includeGateway } from '../gateway-run.ts'
import { listSeenDifferences } from '../conformance-verdict.ts'
import type { ResultDocument, RunDocument } from '../documents.ts'
import type { LoadDocument } from '../load-document.ts'

export interface RunHistory {
  /** `Conformance of http://…` or `Load of http://…, scenario chat-stream`. */
  readonly title: string
  readonly runs: readonly HistoryRun[]
}

export interface HistoryRun {
  /** Start time in ISO 8601, UTC. */
  readonly startedAt: string
  readonly verdict: string
  /** Counts such as failures, warnings and requests, keyed by their column heading. */
  readonly counts: Readonly<Record<string, number>>
  /** Latency percentiles in milliseconds, keyed by `<operation>.<metric>.<percentile>`. */
  readonly percentilesMs: Readonly<Record<string, number>>
}

/** Groups the documents of conformance and load runs by target and scenario. Skips documents of other kinds. */
export function buildHistories(documents: readonly ResultDocument[]): RunHistory[] {
  const entries = documents.flatMap((document) => {
    if (document.kind === 'prove') return []
    return [
      { title: titleOf(document), run: document.kind === 'load' ? fromLoad(document) : fromConformance(document) },
    ]
  })
  return [...Map.groupBy(entries, ({ title }) => title)]
    .map(([title, group]) => ({
      title,
      runs: group.map(({ run }) => run).toSorted((a, b) => a.startedAt.localeCompare(b.startedAt)),
    }))
    .toSorted((a, b) => a.title.localeCompare(b.title))
}

function titleOf(document: RunDocument): string {
  const { url, embedded } = document.target
  const target = embedded ? 'the built-in emulator' : url
  return document.kind === 'load' ? `Load of ${target}, scenario ${document.scenario}` : `Conformance of ${target}`
}

function fromConformance(document: ConformanceDocument): HistoryRun {
  const { startedAt, spent, latency } = document
  const { checks } = includeGateway(document)
  const differences = listSeenDifferences(document).length
  const count = (wanted: string): number => checks.filter((check) => check.verdict === wanted).length
  return {
    startedAt,
    verdict: getWorstVerdict(document),
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

function fromLoad({ startedAt, verdict, requests, metrics, goodputPerSecond }: LoadDocument): HistoryRun {
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
    verdict,
    counts: {
      Requests: requests.sent,
      Failed: requests.failed,
      Dropped: requests.dropped,
      'Goodput per second': goodputPerSecond,
    },
    percentilesMs: Object.fromEntries(percentiles),
  }
}
