export interface Point {
  readonly x: number
  readonly y: number
}

/**
 * Returns how unlikely it is that `y` increases with `x` only by chance: the standard score of Kendall's rank
 * correlation, corrected for ties and for continuity. The method assumes no distribution, so a single extreme value has
 * little effect. Returns 0 if all values of `x` or all values of `y` are equal.
 *
 * Source: Kendall, Rank Correlation Methods, chapter 4.
 */
export function scoreRankCorrelation(points: readonly Point[]): number {
  const n = points.length
  const concordance = listPairs(points).reduce((sum, [a, b]) => sum + Math.sign(a.x - b.x) * Math.sign(a.y - b.y), 0)
  const tiesX = countTies(points.map(({ x }) => x))
  const tiesY = countTies(points.map(({ y }) => y))
  const spread = (t: number): number => t * (t - 1) * (2 * t + 5)
  const pairs = (t: number): number => t * (t - 1)
  const triples = (t: number): number => t * (t - 1) * (t - 2)
  const variance =
    (spread(n) - sumOf(tiesX, spread) - sumOf(tiesY, spread)) / 18 +
    (sumOf(tiesX, pairs) * sumOf(tiesY, pairs)) / (2 * pairs(n)) +
    (sumOf(tiesX, triples) * sumOf(tiesY, triples)) / (9 * triples(n))
  return variance > 0 && concordance > 0 ? (concordance - 1) / Math.sqrt(variance) : 0
}

/** Returns the median increase of `y` per unit of `x` over all pairs of points (Theil–Sen estimator). */
export function estimateSlope(points: readonly Point[]): number {
  const slopes = listPairs(points)
    .filter(([a, b]) => a.x !== b.x)
    .map(([a, b]) => (a.y - b.y) / (a.x - b.x))
    .toSorted((a, b) => a - b)
  return slopes[Math.floor(slopes.length / 2)] ?? 0
}

function listPairs(points: readonly Point[]): (readonly [Point, Point])[] {
  return points.flatMap((a, index) => points.slice(index + 1).map((b) => [a, b] as const))
}

function countTies(values: readonly number[]): number[] {
  return [...Map.groupBy(values, (value) => value).values()].map((group) => group.length)
}

function sumOf(sizes: readonly number[], term: (size: number) => number): number {
  return sizes.reduce((sum, size) => sum + term(size), 0)
}
