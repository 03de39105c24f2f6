import type { RequestRecord } from '../request-record.ts'

/** Upper bounds of histogram buckets for response times, from one millisecond to one hour. */
const TIME_BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]

/** Upper bounds of histogram buckets for the write delays of events. */
const WRITE_DELAY_BOUNDS_S = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]

/** Maximum number of fault rules that have their own label. The remaining rules share the label `other`. */
const MAX_FAULT_LABELS = 1000

/** Counters and histograms of all requests since the emulator started. */
export class Metrics {
  /** Number of requests, by operation and status. A space separates the two in the key. */
  readonly requests = new Map<string, number>()
  /** Number of error responses, by error code. */
  readonly errorResponses = new Map<string, number>()
  /** Number of injected faults, by rule. Faults of rules beyond MAX_FAULT_LABELS count as `other`. */
  readonly faults = new Map<string, number>()
  /** Number of tokens used, by model. */
  readonly tokens = new Map<string, number>()
  /** Number of reasoning tokens, by model. Only models with reasoning have a number. */
  readonly reasoningTokens = new Map<string, number>()
  /** Charges in units of 0.0001 credit, by model. */
  readonly chargedUnits = new Map<string, number>()
  /** Time to the first event of streamed responses with status 200, by operation. */
  readonly ttftSeconds = new Map<string, Histogram>()
  /** End-to-end latency of responses with status 200 whose client did not disconnect, by operation. */
  readonly totalSeconds = new Map<string, Histogram>()
  /** Time for which requests waited for a slot. */
  readonly queueSeconds = new Histogram(TIME_BOUNDS_S)
  readonly writeDelaySeconds = new Histogram(WRITE_DELAY_BOUNDS_S)
  clientDisconnects = 0

  add(record: RequestRecord): void {
    const { request, arrival, ended, firstWriteAtMs, status } = record
    const { errorCode, faultId, model, queuedMs } = request
    const { atMs: arrivedAtMs } = arrival.arrived
    const operation = request.operation ?? 'none'
    increase(this.requests, `${operation} ${status ?? 'none'}`, 1)
    if (errorCode !== undefined) increase(this.errorResponses, errorCode, 1)
    if (faultId !== undefined) increase(this.faults, this.#labelOf(faultId), 1)
    if (record.hasClientDisconnected) this.clientDisconnects += 1
    if (queuedMs !== undefined) this.queueSeconds.observe(queuedMs / 1000)
    if (model !== undefined) {
      increase(this.tokens, model, request.usedTokens)
      if (request.reasoningTokens > 0) increase(this.reasoningTokens, model, request.reasoningTokens)
      increase(this.chargedUnits, model, request.chargedUnits)
    }
    if (status !== 200) return
    if (record.isStream && firstWriteAtMs !== undefined) {
      getHistogram(this.ttftSeconds, operation).observe((firstWriteAtMs - arrivedAtMs) / 1000)
    }
    if (ended !== undefined && !record.hasClientDisconnected) {
      getHistogram(this.totalSeconds, operation).observe((ended.atMs - arrivedAtMs) / 1000)
    }
  }

  /**
   * Returns the label value of a fault rule. Limits the number of labels, because every rule has a unique ID and
   * clients can add any number of rules.
   */
  #labelOf(fault: string): string {
    return this.faults.has(fault) || this.faults.size < MAX_FAULT_LABELS ? fault : 'other'
  }

  /**
   * Records the write delay of each event of a response. Both times are in milliseconds since the arrival of the
   * request.
   */
  observeWriteDelays(plannedMs: ArrayLike<number>, writtenMs: ArrayLike<number>): void {
    for (let index = 0; index < writtenMs.length; index += 1) {
      this.writeDelaySeconds.observe(Math.max(0, (writtenMs[index] ?? 0) - (plannedMs[index] ?? 0)) / 1000)
    }
  }
}

function increase(counts: Map<string, number>, label: string, by: number): void {
  counts.set(label, (counts.get(label) ?? 0) + by)
}

function getHistogram(histograms: Map<string, Histogram>, label: string): Histogram {
  const existing = histograms.get(label)
  if (existing !== undefined) return existing
  const histogram = new Histogram(TIME_BOUNDS_S)
  histograms.set(label, histogram)
  return histogram
}

/** A Prometheus histogram with fixed bounds. */
export class Histogram {
  /** Upper bounds of the buckets in ascending order, without the last bucket (infinity). */
  readonly bounds: readonly number[]
  readonly #counts: Float64Array
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#counts = new Float64Array(bounds.length)
  }

  observe(value: number): void {
    this.sum += value
    this.count += 1
    let low = 0
    let high = this.bounds.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (value <= (this.bounds[middle] ?? Infinity)) high = middle
      else low = middle + 1
    }
    if (low < this.#counts.length) this.#counts[low] = (this.#counts[low] ?? 0) + 1
  }

  getCumulativeCounts(): number[] {
    let total = 0
    return Array.from(this.#counts, (count) => (total += count))
  }
}
