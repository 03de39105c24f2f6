import type { LoadCredits, LoadDocument } from '../reports/load-document.ts'
import { buildDocument } from './build-document.ts'
import type { Budget } from './verdict/budget.ts'
import { parseBudget } from './verdict/parse-budget.ts'
import { ENDED_EARLY, determineVerdict } from './verdict/verdict.ts'
import type { TokensResult } from '../scenarios/lib/extension-result.ts'
import type { Measurements } from './metrics/measurements.ts'
import { addRunChecks } from './verdict/run-checks.ts'
import { mergeMeasurements, findWidestError } from './metrics/merge-measurements.ts'
import { addCredits } from './credits/units.ts'

/** The documents are not segments of one run. The message is a sentence that names them. */
export class MergeError extends Error {
  override readonly name = 'MergeError'
  readonly code = 'TST_ERR_MERGE'
}

/** A document and its name in messages. */
export interface NamedDocument {
  readonly name: string
  readonly document: LoadDocument
}

/**
 * Merges the documents of the segments of a run: counts and histogram buckets are added, and budgets are evaluated on the sums.
 * @throws MergeError when the documents are not segments of one run
 */
export function mergeLoads(segments: readonly NamedDocument[], toolVersion: string): LoadDocument {
  const [first] = segments
  if (first === undefined) throw new MergeError('Name the documents of the parts of a run.')
  checkSegments(segments)
  const documents = segments.map(({ document }) => document)
  const { target, scenario, profile, arrivals, settings } = first.document
  const isEmulator = documents.every((document) => document.target.isEmulator)
  const measurements = addRunChecks(mergeMeasurements(documents.map(measurementsOfDocument)), { scenario, isEmulator })
  const judgement = determineVerdict(measurements, budgetsOf(first.document), {
    isEmulator,
    isInterrupted: false,
    gaps: gapsOf(segments),
    generatorProblem: problemOf(segments),
  })
  return buildDocument(measurements, judgement, {
    toolVersion,
    target,
    scenario,
    profile,
    arrivals,
    credits: mergeCredits(documents.map(({ credits }) => credits)),
    calibration: mergeCalibrations(documents),
    settings,
    segment: { merged: documents.length },
  })
}

/** Segments of one run differ in their index only, and each index occurs once. */
function checkSegments(segments: readonly NamedDocument[]): void {
  const [first, ...others] = segments
  const signature = ({ document }: NamedDocument) => {
    const { scenario, profile, arrivals, settings } = document
    return JSON.stringify([scenario, profile, arrivals, document.target.url, settings, document.budgets.map(limitText)])
  }
  for (const other of others) {
    if (first !== undefined && signature(other) !== signature(first)) {
      throw new MergeError(
        `${other.name} is no part of the same run as ${first.name}: scenario, profile, target, settings and budgets have to be alike.`,
      )
    }
  }
  const names = new Map<string, string>()
  for (const { name, document } of segments) {
    const { segment } = document
    if (segment === undefined || 'merged' in segment) continue
    const place = `${segment.index + 1}/${segment.count}`
    const other = names.get(place)
    if (other !== undefined) throw new MergeError(`${other} and ${name} are both part ${place}: name each part once.`)
    names.set(place, name)
  }
}

/** Describes segments that are missing or incomplete. */
function gapsOf(segments: readonly NamedDocument[]): string[] {
  const indices = segments.flatMap(({ document }) =>
    document.segment !== undefined && 'index' in document.segment ? [document.segment] : [],
  )
  const count = indices[0]?.count ?? 0
  const missing = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !indices.some((segment) => segment.index === index && segment.count === count),
  )
  const incomplete = segments.filter(({ document }) => document.requests.sent === 0 || isEndedEarly(document))
  return [
    ...(missing.length === 0
      ? []
      : [
          `Of ${count} parts, ${missing.map((index) => `${index + 1}/${count}`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
        ]),
    ...incomplete.map(({ name, document }) => `${name} is incomplete: ${document.reasons[0] ?? 'it does not say why'}`),
  ]
}

function isEndedEarly({ reasons }: LoadDocument): boolean {
  return reasons.includes(ENDED_EARLY)
}

function problemOf(segments: readonly NamedDocument[]): string | undefined {
  const broken = segments.find(({ document }) => document.verdict === 'harness-error')
  return broken === undefined
    ? undefined
    : `${broken.name}: ${broken.document.reasons[0] ?? 'the generator went wrong.'}`
}

function measurementsOfDocument({
  startedAt,
  durationMs,
  metrics,
  series,
  requests,
  oracle,
  credits,
}: LoadDocument): Measurements {
  const tokens = Object.entries(credits.tokens).map(([model, { prompt, completion }]): [string, TokensResult] => [
    model,
    { answers: 0, prompt, completion, estimated: 0 },
  ])
  return { startedAt, durationMs, metrics, series, requests, oracle, tokens: Object.fromEntries(tokens) }
}

function budgetsOf({ budgets }: LoadDocument): Budget[] {
  return budgets.map((budget) => parseBudget(limitText(budget)))
}

/** A budget of a document in the form that `parseBudget` reads. */
function limitText({ metric, statistic, op, limit, unit }: LoadDocument['budgets'][number]): string {
  const name = metric.split('.').at(-1) === statistic ? metric : `${metric}.${statistic}`
  return `${name}${op}${limit}${unit}`
}

function mergeCredits(segments: readonly LoadCredits[]): LoadCredits {
  const notes = [...new Set(segments.flatMap(({ note }) => note ?? []))]
  const tokens: Record<string, { prompt: number; completion: number }> = {}
  for (const [model, { prompt, completion }] of segments.flatMap((segment) => Object.entries(segment.tokens))) {
    const before = tokens[model] ?? { prompt: 0, completion: 0 }
    tokens[model] = { prompt: before.prompt + prompt, completion: before.completion + completion }
  }
  return {
    // Each segment estimated the cost of the whole run.
    forecast: segments[0]?.forecast ?? null,
    counted: addCredits(segments.map(({ counted }) => counted)),
    // Segments run at the same time and are charged to one account: none of them knows its own charge.
    ledger: null,
    tokens,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
}

/** The widest of several bounds; null where a segment has none. */
function mergeCalibrations(documents: readonly LoadDocument[]): LoadDocument['calibration'] {
  const all = documents.flatMap(({ calibration }) => calibration ?? [])
  const [first] = all
  if (first === undefined || all.length < documents.length) return null
  const figures: NonNullable<LoadDocument['calibration']>['figures'] = {}
  for (const [metric, figure] of all.flatMap((calibration) => Object.entries(calibration.figures))) {
    const metrics: Record<string, typeof figure> = figures
    const before = metrics[metric]
    metrics[metric] = before === undefined ? figure : { n: before.n + figure.n, ...findWidestError([before, figure]) }
  }
  return {
    source: first.source,
    concurrency: Math.max(...all.map(({ concurrency }) => concurrency)),
    joined: all.reduce((sum, { joined }) => sum + joined, 0),
    unjoined: all.reduce((sum, { unjoined }) => sum + unjoined, 0),
    profiles: first.profiles,
    figures,
  }
}
