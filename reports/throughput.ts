import { formatCount } from '../common/format-count.ts'
import type { LoadDocument, OutputTokens } from './load-document.ts'
import { formatNumber } from './load-verdict.ts'

/** A rate, and a note about it, which may be empty. */
export interface ThroughputRow {
  readonly label: string
  readonly perSecond: string
  readonly note: string
}

/** Returns the duration by which counts are divided for rates, in milliseconds. For a search, the load is steady in it. */
export function calculateRateDurationMs({
  requests,
  durationMs,
  okPerSecond,
}: Pick<LoadDocument, 'requests' | 'durationMs' | 'okPerSecond'>): number {
  return okPerSecond === undefined ? durationMs : (1000 * requests.ok) / okPerSecond
}

/** Lists the requests and the output tokens per second of a run. Returns an empty list for a run without duration. */
export function listThroughput(document: LoadDocument): ThroughputRow[] {
  const { requests, outputTokens } = document
  const durationMs = calculateRateDurationMs(document)
  if (durationMs <= 0 || requests.sent === 0) return []
  const perSecond = formatNumber((1000 * requests.ok) / durationMs)
  const rows = [{ label: 'successful requests', perSecond, note: '' }]
  return outputTokens === undefined ? rows : [...rows, ...listTokenRates(outputTokens)]
}

function listTokenRates({ responses, withUsage, perSecond, perStream }: OutputTokens): ThroughputRow[] {
  const usage = `usage in ${withUsage} of ${formatCount(responses, 'response')}`
  const note = perSecond !== null && withUsage < responses ? `at least: ${usage}` : usage
  const run = { label: 'output tokens', perSecond: perSecond === null ? 'unknown' : formatNumber(perSecond), note }
  if (perStream === null) return [run]
  const { n, p50, p1 } = perStream
  const streams = `${formatCount(n, 'stream')}; 1 % below ${formatRange(p1)}`
  const rate = { label: 'output tokens of a stream', perSecond: formatNumber(p50.perSecond) }
  return [run, { ...rate, note: `median${formatBounds(p50)} of ${streams}` }]
}

type TokenRate = NonNullable<OutputTokens['perStream']>['p50']

function formatRange(rate: TokenRate): string {
  return `${formatNumber(rate.perSecond)}${formatBounds(rate)}`
}

function formatBounds({ low, high }: TokenRate): string {
  return low === null || high === null ? '' : ` (${formatNumber(low)} to ${formatNumber(high)})`
}
