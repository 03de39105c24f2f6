import { operationAt } from '../request-log/log-entry.ts'
import type { Notes } from '../request-log/request-record.ts'
import { pathOf } from '../../core/receive.ts'

/** Upper bounds in seconds for times of answers: from what is instant to an hour. */
const TIME_BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]

/** Upper bounds in seconds for the lateness of events: from microseconds to what anybody notices. */
const LATENESS_BOUNDS_S = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]

/** Faults that are counted apart. */
const MAX_FAULT_LABELS = 1000

/** What is counted since the start: plain numbers, so that counting costs next to nothing where nobody asks. */
export class Metrics {
  /** By operation and status, joined by a space. */
  readonly requests = new Map<string, number>()
  /** By reason. */
  readonly refusals = new Map<string, number>()
  /** By fault; those beyond the first thousand together, as `other`. */
  readonly faults = new Map<string, number>()
  /** By model. */
  readonly tokens = new Map<string, number>()
  /** By model, in units of 0.0001 credit. */
  readonly chargedUnits = new Map<string, number>()
  /** By operation, for answers that are streams. */
  readonly ttftSeconds = new Map<string, Histogram>()
  /** By operation, for answers with status 200 that were sent to their end. */
  readonly totalSeconds = new Map<string, Histogram>()
  readonly latenessSeconds = new Histogram(LATENESS_BOUNDS_S)
  clientsLeft = 0

  /** Counts a request that is over. */
  add(notes: Notes): void {
    const operation = operationAt(pathOf(notes.transported.target)) ?? 'none'
    const { arrived, ended, firstWriteAtMs, model, status } = notes
    increase(this.requests, `${operation} ${status ?? 'none'}`, 1)
    if (notes.refused !== undefined) increase(this.refusals, notes.refused, 1)
    if (notes.fault !== undefined) increase(this.faults, this.#labelOf(notes.fault), 1)
    if (notes.hasClientLeft) this.clientsLeft += 1
    if (model !== undefined) {
      increase(this.tokens, model, notes.usedTokens)
      increase(this.chargedUnits, model, notes.chargedUnits)
    }
    if (status !== 200) return
    if (notes.isStream && firstWriteAtMs !== undefined) {
      histogramAt(this.ttftSeconds, operation).observe((firstWriteAtMs - arrived.atMs) / 1000)
    }
    if (ended !== undefined && !notes.hasClientLeft) {
      histogramAt(this.totalSeconds, operation).observe((ended.atMs - arrived.atMs) / 1000)
    }
  }

  /** Each rule has an id of its own, and rules can be added for ever. */
  #labelOf(fault: string): string {
    return this.faults.has(fault) || this.faults.size < MAX_FAULT_LABELS ? fault : 'other'
  }

  /** Counts how late each event of an answer was, in milliseconds since the request came in. */
  observeLateness(plannedMs: ArrayLike<number>, writtenMs: ArrayLike<number>): void {
    for (let index = 0; index < writtenMs.length; index += 1) {
      this.latenessSeconds.observe(Math.max(0, (writtenMs[index] ?? 0) - (plannedMs[index] ?? 0)) / 1000)
    }
  }
}

function increase(counts: Map<string, number>, label: string, by: number): void {
  counts.set(label, (counts.get(label) ?? 0) + by)
}

function histogramAt(histograms: Map<string, Histogram>, label: string): Histogram {
  const known = histograms.get(label)
  if (known !== undefined) return known
  const histogram = new Histogram(TIME_BOUNDS_S)
  histograms.set(label, histogram)
  return histogram
}

/** Counts of values by upper bound, as Prometheus reads them. Cheap to add to. */
export class Histogram {
  /** Upper bounds, ascending; the last bucket, without bound, is not among them. */
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

  /** How many values are no larger than each bound. */
  cumulative(): number[] {
    let total = 0
    return Array.from(this.#counts, (count) => (total += count))
  }
}
