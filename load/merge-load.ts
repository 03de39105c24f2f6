import type { LoadCredits, LoadDocument } from '../reports/load-document.ts'
import { assembleDocument } from './build-document.ts'
import type { Budget } from './verdict/budget.ts'
import { parseBudget } from './verdict/parse-budget.ts'
import { ENDED_EARLY, judge } from './verdict/verdict.ts'
import type { TokensResult } from '../scenarios/lib/extension-result.ts'
import type { Facts } from './metrics/measurements.ts'
import { addClaims } from './verdict/run-checks.ts'
import { mergeFacts, widestError } from './metrics/merge-measurements.ts'
import { addCredits } from './credits/add-credits.ts'
import { LoadUsageError } from './options/invalid-option-error.ts'

/** A document and what it is called where something is wrong with it. */
export interface NamedDocument {
  readonly name: string
  readonly document: LoadDocument
}

/**
 * One document of several parts of a run: counts added, histograms added bucket for bucket, budgets judged on the whole.
 * @throws LoadUsageError when they are not parts of one run
 */
export function mergeLoads(parts: readonly NamedDocument[], toolVersion: string): LoadDocument {
  const [first] = parts
  if (first === undefined) throw new LoadUsageError('Name the documents of the parts of a run.')
  checkParts(parts)
  const documents = parts.map(({ document }) => document)
  const { target, scenario, profile, arrivals, settings } = first.document
  const isEmulator = documents.every((document) => document.target.isEmulator)
  const facts = addClaims(mergeFacts(documents.map(factsOfDocument)), { scenario, isEmulator })
  const judgement = judge(facts, budgetsOf(first.document), {
    isEmulator,
    isInterrupted: false,
    gaps: gapsOf(parts),
    harnessProblem: problemOf(parts),
  })
  return assembleDocument(facts, judgement, {
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

/** Parts of one run have all but their place in common, and each place is there once. */
function checkParts(parts: readonly NamedDocument[]): void {
  const [first, ...others] = parts
  const signature = ({ document }: NamedDocument) => {
    const { scenario, profile, arrivals, settings } = document
    return JSON.stringify([scenario, profile, arrivals, document.target.url, settings, document.budgets.map(limitText)])
  }
  for (const other of others) {
    if (first !== undefined && signature(other) !== signature(first)) {
      throw new LoadUsageError(
        `${other.name} is no part of the same run as ${first.name}: scenario, profile, target, settings and budgets have to be alike.`,
      )
    }
  }
  const places = new Map<string, string>()
  for (const { name, document } of parts) {
    const { segment } = document
    if (segment === undefined || 'merged' in segment) continue
    const place = `${segment.index + 1}/${segment.count}`
    const other = places.get(place)
    if (other !== undefined)
      throw new LoadUsageError(`${other} and ${name} are both part ${place}: name each part once.`)
    places.set(place, name)
  }
}

/** Parts that are missing, and parts that say less than they should. */
function gapsOf(parts: readonly NamedDocument[]): string[] {
  const segments = parts.flatMap(({ document }) =>
    document.segment !== undefined && 'index' in document.segment ? [document.segment] : [],
  )
  const count = segments[0]?.count ?? 0
  const missing = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !segments.some((segment) => segment.index === index && segment.count === count),
  )
  const incomplete = parts.filter(({ document }) => document.requests.sent === 0 || isEndedEarly(document))
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

function problemOf(parts: readonly NamedDocument[]): string | undefined {
  const broken = parts.find(({ document }) => document.verdict === 'harness-error')
  return broken === undefined
    ? undefined
    : `${broken.name}: ${broken.document.reasons[0] ?? 'the generator went wrong.'}`
}

function factsOfDocument({ startedAt, durationMs, metrics, series, requests, oracle, credits }: LoadDocument): Facts {
  const tokens = Object.entries(credits.tokens).map(([model, { prompt, completion }]): [string, TokensResult] => [
    model,
    { answers: 0, prompt, completion, estimated: 0 },
  ])
  return { startedAt, durationMs, metrics, series, requests, oracle, tokens: Object.fromEntries(tokens) }
}

function budgetsOf({ budgets }: LoadDocument): Budget[] {
  return budgets.map((budget) => parseBudget(limitText(budget)))
}

/** A budget of a document as it was given. */
function limitText({ metric, statistic, op, limit, unit }: LoadDocument['budgets'][number]): string {
  const name = metric.split('.').at(-1) === statistic ? metric : `${metric}.${statistic}`
  return `${name}${op}${limit}${unit}`
}

function mergeCredits(parts: readonly LoadCredits[]): LoadCredits {
  const notes = [...new Set(parts.flatMap(({ note }) => note ?? []))]
  const tokens: Record<string, { prompt: number; completion: number }> = {}
  for (const [model, { prompt, completion }] of parts.flatMap((part) => Object.entries(part.tokens))) {
    const before = tokens[model] ?? { prompt: 0, completion: 0 }
    tokens[model] = { prompt: before.prompt + prompt, completion: before.completion + completion }
  }
  return {
    // Each part forecast the whole run.
    forecast: parts[0]?.forecast ?? null,
    counted: addCredits(parts.map(({ counted }) => counted)),
    // Parts that run at once are charged to one account: none of them knows what of it is its own.
    ledger: null,
    tokens,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
}

/** The widest of several bounds; null where a part has none. */
function mergeCalibrations(documents: readonly LoadDocument[]): LoadDocument['calibration'] {
  const all = documents.flatMap(({ calibration }) => calibration ?? [])
  const [first] = all
  if (first === undefined || all.length < documents.length) return null
  const figures: NonNullable<LoadDocument['calibration']>['figures'] = {}
  for (const [metric, figure] of all.flatMap((calibration) => Object.entries(calibration.figures))) {
    const metrics: Record<string, typeof figure> = figures
    const before = metrics[metric]
    metrics[metric] = before === undefined ? figure : { n: before.n + figure.n, ...widestError([before, figure]) }
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
