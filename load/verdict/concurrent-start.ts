import type { LoadDocument } from '../../reports/load-document.ts'
import type { NamedLoadDocument } from '../check-segments.ts'
import type { LoadFinding } from '../findings/finding.ts'

/** Maximum time between the first and the last start in a short run. A busy machine can delay a start by as much. */
const MIN_APART_MS = 1000

/** Maximum time between the starts in a long run, as a share of the shortest duration. */
const MAX_APART_SHARE = 0.1

/**
 * Returns a finding if the segments of a run did not start together, because the target then received the whole load
 * only for a part of the run. Compares the starts by the clocks of the load generators. These clocks may differ, so it
 * also compares the starts by the clock of the target, as far as it is known.
 */
export function findSeparateStarts(segments: readonly NamedLoadDocument[]): LoadFinding | undefined {
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
