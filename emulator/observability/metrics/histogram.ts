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
