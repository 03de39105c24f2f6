import type { LoadDocument } from '../reports/load-document.ts'
import type { LoadSegment } from './build-document.ts'
import { decodeHistogram } from './metrics/histogram.ts'
import { listEntries } from './metrics/measurements.ts'
import { formatDocumentBudget } from './verdict/format-document-budget.ts'

/** Documents that cannot be merged, such as segments of different runs. The message explains why. */
export class MergeError extends Error {
  override readonly name = 'MergeError'
  readonly code = 'TST_ERR_MERGE'
}

/** A load document and its name in messages. */
export interface NamedLoadDocument {
  readonly name: string
  readonly document: LoadDocument
}

/**
 * Checks that documents are segments of one run, and that each of them is there only once.
 * @throws MergeError
 */
export function checkSegments(segments: readonly NamedLoadDocument[]): void {
  for (const segment of segments) {
    checkPosition(segment)
    checkHistograms(segment)
  }
  const [first, ...others] = segments
  if (first === undefined || others.length === 0) return
  // A k6 process that ended before its first request does not know its segment.
  const started = segments.filter(({ document }) => document.requests.sent > 0 || document.segment !== undefined)
  const positions = started.map(({ name, document }) => ({ name, ...positionOf(name, document) }))
  for (const other of others) {
    const difference = findDifference(first.document, other.document)
    if (difference === undefined) continue
    throw new MergeError(
      `${other.name} and ${first.name} are not segments of one run: in ${other.name}, ${difference}.`,
    )
  }
  const names = new Map<number, string>()
  for (const { name, index, count } of positions) {
    const other = names.get(index)
    if (other !== undefined)
      throw new MergeError(`${other} and ${name} are both segment ${index + 1}/${count}: name each segment once.`)
    names.set(index, name)
  }
}

/** Maximum number of segments of a run. `--segment` has the same maximum. */
const MAX_SEGMENTS = 9999

function checkPosition({ name, document: { segment } }: NamedLoadDocument): void {
  if (segment === undefined || 'merged' in segment) return
  const { index, count } = segment
  if (index < count && count <= MAX_SEGMENTS) return
  throw new MergeError(`${name} is damaged: no run has a segment ${index + 1}/${count}.`)
}

/** Checks that each histogram has as many samples as its figure, because the merge adds the histograms. */
function checkHistograms({ name, document }: NamedLoadDocument): void {
  for (const [operation, figures] of listEntries(document.metrics)) {
    for (const [metric, { n, histogram }] of Object.entries(figures)) {
      if (countSamples(histogram) === n) continue
      throw new MergeError(`${name} is damaged: the histogram ${metric} of ${operation} does not contain ${n} samples.`)
    }
  }
}

/** Returns undefined if the histogram cannot be decoded. */
function countSamples(histogram: string): number | undefined {
  try {
    return decodeHistogram(histogram).totalCount
  } catch {
    return undefined
  }
}

function positionOf(name: string, { segment }: LoadDocument): LoadSegment {
  if (segment === undefined || 'merged' in segment) {
    throw new MergeError(`${name} is a whole run, not a segment. Name only documents of runs with --segment.`)
  }
  return segment
}

/** Describes the first difference between the documents of two segments that cannot occur within one run. */
function findDifference(a: LoadDocument, b: LoadDocument): string | undefined {
  for (const [name, describe] of DESCRIPTIONS) {
    const [left, right] = [describe(a), describe(b)]
    // The document of a segment that did not start has no settings and no models.
    if (left !== right && left !== '' && right !== '') return `the ${name} is ${right}, not ${left}`
  }
  const [ofA, ofB] = [a.requests.planned, b.requests.planned]
  // The segments divide the plan into equal shares. A segment that did not start has no plan, or the whole plan.
  if (a.requests.sent === 0 || b.requests.sent === 0) return undefined
  if (ofA === null || ofB === null || Math.abs(ofA - ofB) <= 1) return undefined
  return `the plan has ${ofB} requests, not ${ofA}`
}

const DESCRIPTIONS: readonly (readonly [name: string, describe: (document: LoadDocument) => string])[] = [
  ['version of touchstone', ({ tool }) => tool.version],
  ['number of segments', ({ segment }) => (segment !== undefined && 'count' in segment ? String(segment.count) : '')],
  ['target', ({ target }) => target.url],
  ['scenario', ({ scenario }) => scenario],
  ['profile', ({ profile }) => profile],
  ['kind of arrivals', ({ arrivals }) => arrivals],
  ['list of models', ({ target }) => formatEntries(target.models)],
  ['list of settings', ({ settings }) => formatEntries(settings)],
  ['list of budgets', ({ budgets }) => budgets.map(formatDocumentBudget).join(', ')],
]

function formatEntries(entries: Readonly<Record<string, string | number | boolean>>): string {
  const sorted = Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, value]) => `${name}=${value}`).join(', ')
}
