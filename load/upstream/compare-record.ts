import type { Calibration } from '../../reports/load-document.ts'
import type { LoadUpstream } from '../../reports/load-parts-document.ts'
import { parseCredits } from '../../scenarios/lib/credits.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import { calculateTokenUnits, formatUnits } from '../credits/units.ts'
import type { LoadFinding } from '../findings/finding.ts'
import type { Measurements } from '../metrics/measurements.ts'
import type { LoggedRequest, RecordedTiming } from '../target/emulator-client.ts'
import { type ComparedResponse, compareResponse } from './compare-streams.ts'
import { type MatchedRequest, matchRequests } from './match-requests.ts'
import { ADDED_METRICS, calculateAddedFigure } from './upstream-figures.ts'

/** Records of a run through a gateway, from the load generator and from the upstream. */
export interface RunRecords {
  readonly upstreamUrl: string
  readonly lines: readonly EventsResult[]
  /** Prefix of the request IDs in `lines`. */
  readonly prefix: string
  /** Entries in the emulator's request log since the start of the run. */
  readonly log: readonly LoggedRequest[]
  readonly timings: readonly RecordedTiming[]
  readonly tokens: Measurements['tokens']
  /** Model of the requests, by operation. */
  readonly models: TrafficSettings['models']
  /** Whether the requests for streams have `stream_options.include_usage`. */
  readonly isUsageRequested: boolean
  /** Measurement error of the generator on a direct connection, by metric. Null if the lines have bounds, or without calibration. */
  readonly calibration: Calibration | null
}

export interface UpstreamComparison {
  readonly upstream: LoadUpstream
  /** Findings that do not affect the verdict. */
  readonly notes: readonly LoadFinding[]
  /** Reasons why the run is incomplete. */
  readonly gaps: readonly LoadFinding[]
}

/** Fraction of the responses that may be missing in the emulator's record. */
const MAX_MISSING_SHARE = 0.01

/**
 * Maximum fraction of buffered streams without a finding, and of re-batched streams, because stalls of a busy machine
 * also join tokens.
 */
const MAX_STALLED_STREAMS = 0.1

export function compareWithRecord(records: RunRecords): UpstreamComparison {
  const operations = new Set(records.lines.map(({ operation }) => (operation === 'chat-stream' ? 'chat' : operation)))
  const log = records.log.filter(({ operation }) => operation !== null && operations.has(operation as 'chat'))
  const { requests, upstream, counts } = matchRequests(records.lines, log, records.prefix)
  const compared = compareAll(requests, records.timings)
  const responses = requests.filter(({ sent }) => sent.status === 200).length
  const added: Record<string, NonNullable<ReturnType<typeof calculateAddedFigure>>> = {}
  for (const metric of ADDED_METRICS) {
    const samples = compared.flatMap((response) => response.added[metric])
    const figure = calculateAddedFigure(samples, records.calibration?.figures[metric] ?? null)
    if (figure !== undefined) added[metric] = figure
  }
  const streams = countBatching(compared)
  const credits = compareCredits(records.tokens, upstream)
  const unexplained = responses - compared.length - counts.repeated - countOwnResponses(requests, counts.withheld)
  const document: LoadUpstream = {
    url: records.upstreamUrl,
    method: 'record',
    compared: compared.length,
    responses,
    added,
    forwarding: counts,
    streams,
    credits: { seen: credits.seen, charged: credits.charged },
  }
  return {
    upstream: document,
    notes: [
      ...findForwarding(counts),
      ...findBatching(streams),
      ...(records.isUsageRequested ? findRemovedUsage(requests) : []),
      ...findChangedContent(requests),
      ...findChangedModels(requests, records.models),
      ...(credits.isContradicted && counts.isIdentified && credits.seen !== null
        ? [{ code: 'upstream-charged-differently', params: { seen: credits.seen, charged: credits.charged } } as const]
        : []),
    ],
    gaps:
      unexplained > responses * MAX_MISSING_SHARE
        ? [
            compared.length === 0 && !counts.isIdentified
              ? { code: 'upstream-responses-unidentified', params: {} }
              : { code: 'upstream-record-incomplete', params: { compared: compared.length, responses } },
          ]
        : [],
  }
}

/**
 * Compares the responses of the run with the upstream's record of them. If the gateway returned an upstream response
 * several times, only the first is compared.
 */
function compareAll(requests: readonly MatchedRequest[], timings: readonly RecordedTiming[]): ComparedResponse[] {
  const byId = new Map(timings.map((timing) => [timing.requestId, timing]))
  const used = new Set<string>()
  return requests.flatMap(({ sent, served }) => {
    if (served === undefined || used.has(served.id)) return []
    used.add(served.id)
    const times = byId.get(served.id)
    return times === undefined ? [] : [compareResponse(sent, times, isTextChanged({ sent, served }))]
  })
}

/** Returns the number of responses that the gateway generated itself, without an upstream request. */
function countOwnResponses(requests: readonly MatchedRequest[], withheld: number | null): number {
  return Math.min(
    withheld ?? 0,
    requests.filter(({ sent, served }) => sent.status === 200 && served === undefined).length,
  )
}

function countBatching(compared: readonly ComparedResponse[]): NonNullable<LoadUpstream['streams']> {
  const count = (kind: ComparedResponse['batching']) => compared.filter(({ batching }) => batching === kind).length
  const [rebatched, buffered] = [count('partial'), count('whole')]
  const sentAtOnce = compared.filter(({ isSentAtOnce }) => isSentAtOnce).length
  return { judged: count('none') + rebatched + buffered, rebatched, buffered, sentAtOnce }
}

function compareCredits(tokens: Measurements['tokens'], upstream: readonly LoggedRequest[]) {
  const chargedUnits = upstream.reduce((sum, { charged }) => sum + (parseCredits(charged) ?? 0), 0)
  const { units, unlisted } = calculateTokenUnits(tokens)
  const counted = Object.values(tokens)
  const isExact = counted.length > 0 && unlisted.length === 0 && counted.every(({ estimated }) => estimated === 0)
  // The specification leaves open whether prompts are charged (section 8), so a charge for completion tokens alone is
  // valid.
  const completions = Object.entries(tokens).map(([model, known]) => [model, { ...known, prompt: 0 }])
  const completionUnits = calculateTokenUnits(Object.fromEntries(completions)).units
  return {
    seen: isExact ? formatUnits(units) : null,
    charged: formatUnits(chargedUnits),
    isContradicted: isExact && chargedUnits !== units && chargedUnits !== completionUnits,
  }
}

/** Returns the finding if it applies to more than `allowed` requests. `count` is null if it is unknown. */
function ifAny(count: number | null, finding: LoadFinding, allowed = 0): LoadFinding[] {
  return (count ?? 0) > allowed ? [finding] : []
}

function findForwarding(counts: NonNullable<LoadUpstream['forwarding']>): LoadFinding[] {
  const { sent, received, isIdentified, repeated } = counts
  const [duplicated, retried, lost] = [counts.duplicated ?? 0, counts.retried ?? 0, counts.lost ?? 0]
  // Without IDs, a difference of the numbers shows requests that the gateway added or withheld.
  const withheld = isIdentified ? (counts.withheld ?? 0) : sent - received
  return [
    ...ifAny(duplicated, { code: 'gateway-duplicates', params: { duplicated, sent } }),
    ...ifAny(retried, { code: 'gateway-retries', params: { retried, sent } }),
    ...ifAny(isIdentified ? 0 : received - sent, { code: 'gateway-sends-more', params: { received, sent } }),
    ...ifAny(withheld, { code: 'gateway-withholds', params: { withheld, sent } }),
    ...ifAny(lost, { code: 'gateway-loses', params: { lost, sent } }),
    ...ifAny(repeated, { code: 'gateway-repeats', params: { repeated, sent } }),
  ]
}

function findBatching({ judged, rebatched, buffered }: NonNullable<LoadUpstream['streams']>): LoadFinding[] {
  const maxStalled = judged * MAX_STALLED_STREAMS
  return [
    ...ifAny(buffered, { code: 'gateway-buffers', params: { buffered, judged } }, maxStalled),
    ...ifAny(rebatched, { code: 'gateway-rebatches', params: { rebatched, judged } }, maxStalled),
  ]
}

/**
 * Finds streams that lost their usage in the gateway. The emulator sends usage on request, unless an option makes it
 * ignore the request field.
 */
function findRemovedUsage(requests: readonly MatchedRequest[]): LoadFinding[] {
  const streams = requests.filter(
    ({ sent, served }) =>
      sent.operation === 'chat-stream' &&
      sent.isComplete &&
      sent.hasUsage !== undefined &&
      served !== undefined &&
      !isTextChanged({ sent, served }) && // a truncated stream also lacks its usage
      !served.ignoredFields.includes('stream_options'),
  )
  const removed = streams.filter(({ sent }) => sent.hasUsage === false).length
  return ifAny(removed, { code: 'gateway-removes-usage', params: { removed, streams: streams.length } })
}

/** Finds responses whose text or completion ID differs from that at the upstream. */
function findChangedContent(requests: readonly MatchedRequest[]): LoadFinding[] {
  const withText = requests.filter(
    ({ sent, served }) => sent.textSha256 !== undefined && served?.textSha256 !== undefined,
  )
  const withId = requests.filter(
    ({ sent, served }) => sent.completionId !== undefined && served?.completionId !== undefined,
  )
  const texts = withText.filter(isTextChanged).length
  const ids = withId.filter(({ sent, served }) => sent.completionId !== served?.completionId).length
  return [
    ...ifAny(texts, { code: 'gateway-changes-text', params: { changed: texts, compared: withText.length } }),
    ...ifAny(ids, { code: 'gateway-changes-ids', params: { changed: ids, compared: withId.length } }),
  ]
}

/** Finds requests that reached the upstream with a model other than that of the client. */
function findChangedModels(requests: readonly MatchedRequest[], models: TrafficSettings['models']): LoadFinding[] {
  const compared = requests.flatMap(({ sent: { operation }, forwarded }) => {
    const requested = operation === 'models' ? undefined : models[operation === 'chat-stream' ? 'chat' : operation]
    const received = forwarded?.model ?? undefined
    return requested === undefined || received === undefined ? [] : [{ requested, received }]
  })
  const changed = compared.filter(({ requested, received }) => requested !== received)
  const [first] = changed
  return first === undefined
    ? []
    : [{ code: 'gateway-changes-model', params: { changed: changed.length, compared: compared.length, ...first } }]
}

/** Returns whether the text of a complete response differs from that at the upstream. */
function isTextChanged({ sent, served }: Pick<MatchedRequest, 'sent' | 'served'>): boolean {
  return sent.textSha256 !== undefined && served?.textSha256 !== undefined && sent.textSha256 !== served.textSha256
}
