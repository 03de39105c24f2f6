import type { LoadCredits, LoadDocument } from '../reports/load-document.ts'
import { buildDocument, type RunMetadata } from './build-document.ts'
import { checkSegments, MergeError, type NamedLoadDocument } from './check-segments.ts'
import type { LoadFinding } from './findings/finding.ts'
import type { Budget } from './verdict/budget.ts'
import { parseBudget } from './verdict/parse-budget.ts'
import { formatDocumentBudget } from './verdict/format-document-budget.ts'
import { isIncompleteSegment } from './verdict/plan-completeness.ts'
import { determineVerdict } from './verdict/verdict.ts'
import type { TokensResult } from '../scenarios/lib/extension-result.ts'
import { type Measurements, sumTokens } from './metrics/measurements.ts'
import { addRunChecks } from './verdict/run-checks.ts'
import { mergeMeasurements, findWidestError } from './metrics/merge-measurements.ts'
import { addCredits } from './credits/units.ts'

export type DocumentContext = Pick<RunMetadata, 'toolVersion' | 'nameOption'>

/**
 * Merges the documents of the segments of a run. Adds counts and histogram buckets, and evaluates budgets on the sums.
 * @throws MergeError if the documents are not segments of one run
 */
export function mergeLoads(
  segments: readonly NamedLoadDocument[],
  { toolVersion, nameOption }: DocumentContext,
): LoadDocument {
  const [first] = segments
  if (first === undefined)
    throw new MergeError('There is nothing to merge: name the documents of the segments of a run.')
  checkSegments(segments)
  const documents = segments.map(({ document }) => document)
  const { target, scenario, profile, arrivals, settings } = first.document
  const isEmulator = documents.every((document) => document.target.isEmulator)
  const measurements = addRunChecks(mergeMeasurements(documents.map(extractMeasurements)), { scenario, isEmulator })
  const evaluation = determineVerdict(measurements, budgetsOf(first.document), {
    isEmulator,
    isInterrupted: false,
    gaps: findGaps(segments),
    generatorProblem: findFailedSegment(segments),
  })
  return buildDocument(measurements, evaluation, {
    toolVersion,
    nameOption,
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

function findGaps(segments: readonly NamedLoadDocument[]): LoadFinding[] {
  const indices = segments.flatMap(({ document }) =>
    document.segment !== undefined && 'index' in document.segment ? [document.segment] : [],
  )
  const count = indices[0]?.count ?? 0
  const missing = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !indices.some((segment) => segment.index === index),
  )
  const incomplete = segments.filter(({ document }) => isIncompleteSegment(document))
  const incompleteSegments = incomplete.map((segment): LoadFinding => ({
    code: 'segment-incomplete',
    params: nameSegment(segment),
  }))
  const separateStarts = findSeparateStarts(segments)
  const gaps = separateStarts === undefined ? incompleteSegments : [...incompleteSegments, separateStarts]
  if (missing.length === 0) return gaps
  const numbers = missing.map((index) => index + 1)
  return [{ code: 'segments-missing', params: { count, missing: numbers } }, ...gaps]
}

function findFailedSegment(segments: readonly NamedLoadDocument[]): LoadFinding | undefined {
  const failed = segments.find(({ document }) => document.verdict === 'harness-error')
  return failed === undefined ? undefined : { code: 'segment-failed', params: nameSegment(failed) }
}

function nameSegment({ name, document }: NamedLoadDocument) {
  return { segment: name, reason: document.reasons[0] ?? null }
}

/** Converts a document back to measurements, which can be merged with those of other documents. */
export function extractMeasurements({
  startedAt,
  durationMs,
  metrics,
  series,
  requests,
  validation,
  warmUp,
  credits,
}: LoadDocument): Measurements {
  const tokens = Object.entries(credits.tokens).map(([model, { prompt, completion }]): [string, TokensResult] => [
    model,
    { responses: 0, prompt, completion, estimated: 0 },
  ])
  const measured = { startedAt, durationMs, metrics, series, requests, validation }
  return { ...measured, ...(warmUp === undefined ? {} : { warmUp }), tokens: Object.fromEntries(tokens) }
}

function budgetsOf({ budgets }: LoadDocument): Budget[] {
  return budgets.map((budget) => parseBudget(formatDocumentBudget(budget)))
}

function mergeCredits(segments: readonly LoadCredits[]): LoadCredits {
  const notes = [...new Set(segments.flatMap(({ note }) => note ?? []))]
  return {
    // Each segment estimated the cost of the whole run.
    estimate: segments[0]?.estimate ?? null,
    counted: addCredits(segments.map(({ counted }) => counted)),
    // Concurrent segments share one account, so the charge of a single segment is unknown.
    ledger: null,
    tokens: sumTokens(segments.map(({ tokens }) => tokens)),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
}

/**
 * Merges calibrations: each error bound is the widest of all segments. Returns null if a segment has no calibration.
 */
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

/** Maximum time between the first and the last start in a short run. A busy machine can delay a start by as much. */
const MIN_APART_MS = 1000

/** Maximum time between the starts in a long run, as a share of the shortest duration. */
const MAX_APART_SHARE = 0.1

/**
 * Returns a finding if the segments of a run did not start together, because the target then received the whole load
 * only for a part of the run. Compares the starts by the clocks of the load generators. These clocks may differ, so it
 * also compares the starts by the clock of the target, as far as it is known.
 */
function findSeparateStarts(segments: readonly NamedLoadDocument[]): LoadFinding | undefined {
  const maxApartMs = maxApartOf(segments.map(({ document }) => document))
  const starts = segments.map(({ name, document }) => ({ name, atMs: Date.parse(document.startedAt) }))
  const [first, last] = [starts.toSorted((a, b) => a.atMs - b.atMs)[0], starts.toSorted((a, b) => b.atMs - a.atMs)[0]]
  if (first === undefined || last === undefined) return undefined
  if (last.atMs - first.atMs > maxApartMs) {
    const apartMs = Math.round(last.atMs - first.atMs)
    return { code: 'segments-start-apart', params: { first: first.name, last: last.name, apartMs } }
  }
  const bounds = segments.flatMap(boundStart)
  const [earliest] = bounds.toSorted((a, b) => a.highMs - b.highMs)
  const [latest] = bounds.toSorted((a, b) => b.lowMs - a.lowMs)
  if (earliest === undefined || latest === undefined || latest.lowMs - earliest.highMs <= maxApartMs) return undefined
  const minApartMs = Math.round(latest.lowMs - earliest.highMs)
  return { code: 'segment-clocks-differ', params: { first: earliest.name, last: latest.name, minApartMs } }
}

/** Bounds the start of a segment by the clock of the target. Returns nothing if the segment does not know this clock. */
function boundStart({ name, document: { startedAt, segment } }: NamedLoadDocument) {
  if (segment === undefined || 'merged' in segment || segment.targetClock === undefined) return []
  const atMs = Date.parse(startedAt)
  return [{ name, lowMs: atMs + segment.targetClock.lowMs, highMs: atMs + segment.targetClock.highMs }]
}

function maxApartOf(documents: readonly LoadDocument[]): number {
  return Math.max(MIN_APART_MS, MAX_APART_SHARE * Math.min(...documents.map(({ durationMs }) => durationMs)))
}
