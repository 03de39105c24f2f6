import { expect, test } from 'vitest'
import type { AddedValue, LoadUpstream } from '../../load-parts-document.ts'
import { SAMPLE_LOAD } from '../../testing/sample-pages.ts'
import { renderAddedCharts } from './added-charts.ts'
import { renderLoadPage } from './render-load-page.ts'

const bounded = (ms: number): AddedValue => ({ ms, lowMs: ms - 0.5, highMs: ms + 1 })
const exact = (ms: number): AddedValue => ({ ms, lowMs: null, highMs: null })

function figureOf(value: (ms: number) => AddedValue, scale = 1) {
  const [p50, p90, p95, p99] = [value(2 * scale), value(3 * scale), value(4 * scale), value(9 * scale)]
  return { n: 900, mean: value(2.5 * scale), p50, p90, p95, p99, max: value(12 * scale) }
}

const UPSTREAM: LoadUpstream = {
  url: 'http://upstream',
  method: 'record',
  compared: 900,
  responses: 900,
  added: { ttftMs: figureOf(bounded), itlMs: figureOf(exact, 0), e2eMs: figureOf(exact) },
  forwarding: null,
  streams: null,
  credits: null,
}

const BUDGET = {
  metric: 'added.ttft',
  statistic: 'p90',
  op: '<=',
  limit: 20,
  unit: 'ms',
  actual: 3,
  verdict: 'within',
  n: 900,
  needed: 64,
} as const

const DOCUMENT = { ...SAMPLE_LOAD, upstream: UPSTREAM, budgets: [BUDGET] }

test('shows each added latency that is not always 0, with its bounds', () => {
  const charts = renderAddedCharts(DOCUMENT).map(({ text }) => text)
  expect(charts).toHaveLength(2)
  expect(charts[0]).toContain('<title>p99: 9.00 ms (8.50 to 10.0 ms)</title>')
  expect(charts[0]).toContain('class="band s0"')
  expect(charts[1]).toContain('<title>p99: 9.00 ms</title>')
  expect(charts[1]).not.toContain('class="band')
})

test('draws no value without bounds if the latencies were measured alternately', () => {
  const figure = { ...figureOf(bounded), p99: exact(-48) }
  const upstream: LoadUpstream = { ...UPSTREAM, method: 'turns', added: { ttftMs: figure, e2eMs: figureOf(exact) } }
  const charts = renderAddedCharts({ ...DOCUMENT, upstream }).map(({ text }) => text)
  expect(charts).toHaveLength(1)
  expect(charts[0]).toContain('<title>p95: 4.00 ms')
  expect(charts[0]).not.toContain('<title>p99')
})

test('draws the latency of a gateway that is faster than its upstream below zero', () => {
  const upstream: LoadUpstream = { ...UPSTREAM, added: { itlMs: figureOf(exact, -1) } }
  const [chart] = renderAddedCharts({ ...DOCUMENT, upstream, budgets: [] }).map(({ text }) => text)
  const heights = [...(chart ?? '').matchAll(/<circle class="point" cx="[^"]+" cy="([^"]+)"/g)].map(([, y]) =>
    Number(y),
  )
  expect(heights).toHaveLength(4)
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
  expect(new Set(heights).size).toBe(4)
  expect(chart).toContain('>-8</text>')
})

test('a budget on an added latency is shown only in the chart of this added latency', () => {
  const page = renderLoadPage(DOCUMENT)
  expect(page.match(/p90 &lt;= 20 ms<\/text>/g)).toHaveLength(1)
  expect(page.indexOf('= 20 ms</text>')).toBeLessThan(page.indexOf('id="percentiles"'))
})
