export interface FittedLine {
  /** Slope, in units of y per unit of x. */
  readonly slope: number
  /** Standard error of the slope. It is too small if the samples are autocorrelated. */
  readonly slopeError: number
}

/**
 * Fits a straight line to points by least squares.
 * @returns a line of NaN for fewer than three points
 */
export function fitLine(points: readonly { readonly x: number; readonly y: number }[]): FittedLine {
  const n = points.length
  if (n < 3) return { slope: Number.NaN, slopeError: Number.NaN }
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / n
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / n
  const sxx = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const sxy = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  const slope = sxy / sxx
  const residual = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0)
  return { slope, slopeError: Math.sqrt(residual / (n - 2) / sxx) }
}
