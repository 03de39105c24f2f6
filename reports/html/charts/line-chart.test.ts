import { expect, test } from 'vitest'
import { renderLineChart } from './line-chart.ts'

const BOTTOM_OF_AXIS = 226

/** Returns the vertical positions of the points of the first line, and of the limits, in drawing units. */
function heightsOf(lines: Parameters<typeof renderLineChart>[0]['lines'], limits: { y: number; label: string }[] = []) {
  const chart = renderLineChart({
    id: 'a',
    title: '',
    description: '',
    xLabel: '',
    yLabel: '',
    xTicks: [{ x: 0, label: '' }],
    lines,
    limits: limits.map((limit) => ({ ...limit, x: 0, state: 'kept' })),
  }).text
  const paths = [...chart.matchAll(/class="line s0"\s+d="([^"]+)"/g)].map(([, path = '']) => path)
  return {
    points: [...(paths[0] ?? '').matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y)),
    limits: [...chart.matchAll(/class="limit kept"\s*>\s*<line[^>]* y1="([\d.]+)"/g)].map(([, y]) => Number(y)),
  }
}

const points = (...ys: readonly number[]) => ys.map((y, x) => ({ x, y }))

test('a logarithmic axis shows the samples regardless of the width of the band around them', () => {
  const band = points(2, 3, 7, 900).map((point) => ({
    ...point,
    range: { low: Math.max(0, point.y - 9), high: point.y + 9 },
  }))
  const lines = [{ name: 'chat', slot: 0, points: band }]
  const { points: heights } = heightsOf(lines)
  expect(heights).toHaveLength(4)
  expect(heights.toSorted((a, b) => b - a)).toEqual(heights)
  expect(new Set(heights).size).toBe(4)
  expect(Math.max(...heights)).toBeLessThan(BOTTOM_OF_AXIS)
})

test('a logarithmic axis shows a limit below all samples', () => {
  const lines = [{ name: 'chat', slot: 0, points: points(20, 30, 40, 9000) }]
  const { points: heights, limits } = heightsOf(lines, [{ y: 5, label: '5 ms' }])
  expect(limits).toHaveLength(1)
  expect(heights).toHaveLength(4)
  expect(limits[0]).toBeLessThan(BOTTOM_OF_AXIS)
  expect(limits[0]).toBeGreaterThan(Math.max(...heights))
})
