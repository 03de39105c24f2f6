import { expect, test } from 'vitest'
import { HOSTILE_MEGABYTE, replaceTexts } from '../testing/hostile.ts'
import { createFigure, createLoadDocument } from '../testing/sample-load.ts'
import { SAMPLE_CONFORMANCE, SAMPLE_LOAD, PAGES, SLOW_PAGE } from '../testing/sample-pages.ts'
import { findPageProblems } from '../testing/standalone-page.ts'
import { renderConformancePage } from './conformance/render-conformance-page.ts'
import { renderLoadPage } from './load/render-load-page.ts'
import { escapeText } from './markup.ts'

test.each(Object.keys(PAGES).filter((name) => name !== SLOW_PAGE))(
  '%s: the page is one file of less than 2 MB without external resources',
  (name) => expect(findPageProblems(PAGES[name]?.() ?? '')).toEqual([]),
)

test('the page of an incomplete run starts with its reasons, and other pages do not show them', () => {
  const incomplete = {
    ...SAMPLE_CONFORMANCE,
    verdict: 'incomplete' as const,
    causes: [{ title: 'no key was given: set `--no-credits-key`', checks: ['5/missing'] }],
  }
  const page = renderConformancePage(incomplete)
  expect(page).toMatch(/<main id="content"><section id="reasons"[^]*?Why the run is incomplete \(1\)/)
  expect(page).toMatch(
    /No key was given: set <code><span class="nowrap">--no-credits-key<\/span><\/code><\/th>[^]*?>1<\/td>/,
  )
  expect(renderConformancePage(SAMPLE_CONFORMANCE)).not.toContain('Why the run is incomplete')
})

test('a page states the number of omitted entries', () => {
  expect(renderConformancePage(replaceTexts(SAMPLE_CONFORMANCE, HOSTILE_MEGABYTE))).toMatch(
    /… \[\d{3},\d{3} more characters\]/,
  )
})

test('renders a load run of a million samples in less than 2 MB', () => {
  const million = createLoadDocument({}, 10)
  const samples = Object.values(million.metrics).flatMap((figures) => Object.values(figures).map(({ n }) => n))
  expect(samples.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(1_000_000)
  const page = renderLoadPage(million)
  expect(page).toContain('class="band s0"')
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
})

test('shows the command that repeats a load run, and omits it from a document without one', () => {
  const { command = '', ...others } = SAMPLE_LOAD
  expect(command).toContain('--key "$TOUCHSTONE_KEY"')
  const [, shown = ''] = /data-copy>(.*?)<\/pre>/s.exec(renderLoadPage(SAMPLE_LOAD)) ?? []
  expect(shown.replaceAll(/<\/?span[^>]*>/g, '')).toBe(escapeText(command))
  expect(renderLoadPage(others)).not.toContain('data-copy>')
})

test('the page of a load run without requests has no empty figures', () => {
  const requests = { ...SAMPLE_LOAD.requests, sent: 0, ok: 0, failed: 0, dropped: 0, byStatus: {}, byError: {} }
  const page = renderLoadPage({ ...SAMPLE_LOAD, verdict: 'incomplete', requests, metrics: {}, series: [] })
  expect(page).toContain('The load sent no request.')
  expect(page).not.toMatch(/id="(budgets|percentiles|figures|responses|streams|credits)"/)
})

test('reports an unreadable histogram, and shows the figures', () => {
  const { 'chat-stream': stream } = SAMPLE_LOAD.metrics
  const ttftMs = stream?.ttftMs
  if (ttftMs === undefined) throw new Error('the sample has this figure')
  const page = renderLoadPage({
    ...SAMPLE_LOAD,
    metrics: { 'chat-stream': { ttftMs: { ...ttftMs, histogram: 'none' } } },
  })
  expect(page).toContain('the histograms of this document cannot be read')
  expect(page).toMatch(/Time to first token \(TTFT\)<\/th>[^]*?chat-stream/)
})

test('replaces the charts of inter-token latency for streams that arrived in one read', () => {
  const stream = SAMPLE_LOAD.metrics['chat-stream']
  const none = createFigure({ n: 20, medianMs: 0, spread: 0 })
  const zero = { ...none, min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0 }
  const page = (itlMs: typeof zero) =>
    renderLoadPage({
      ...SAMPLE_LOAD,
      metrics: { 'chat-stream': { ...stream, itlMs, tpotMs: itlMs, startLagMs: zero } },
    })
  expect(page(zero).match(/each stream arrived in one read/g)).toHaveLength(1)
  expect(page(zero)).not.toMatch(/scope="rowgroup"[^>]*>Inter-token/)
  expect(page({ ...zero, max: 0.1 })).toMatch(/scope="rowgroup"[^>]*>Inter-token/)
  expect(page(zero)).not.toMatch(/id="percentiles-(?:itl|tpot)Ms-title"/)
  expect(page(zero)).toContain('id="percentiles-startLagMs-title"')
  expect(page({ ...zero, max: 0.1 })).not.toContain('in one read')
  expect(page({ ...zero, max: 0.1 })).toContain('id="percentiles-itlMs-title"')
})

test('shows next to the verdict that the run reached its time limit', () => {
  const remark = 'The run reached its time limit. Increase --max-seconds.'
  const page = renderConformancePage({
    ...SAMPLE_CONFORMANCE,
    verdict: 'incomplete',
    remarks: [remark],
    remarkFindings: [{ code: 'time-limit-reached', params: {} }],
  })
  expect(page).toMatch(/Incomplete \([^)<]*time limit reached[^<]*<\/h1>/)
  expect(page).toContain('<li>The run reached its time limit. Increase <span class="nowrap">--max-seconds</span>.</li>')
})

test('shows causes with their commands first, and next to the verdict why the target ended the run', () => {
  const page = renderConformancePage({
    ...SAMPLE_CONFORMANCE,
    remarks: ['The target stopped responding after 9 responses.'],
    remarkFindings: [{ code: 'target-died', params: {} }],
  })
  expect(page).toMatch(/<p class="sentence">[^]*?The target stopped responding after 9 responses\.[^]*?<\/p>/)
  const [causes, summary] = [page.indexOf('<section id="causes"'), page.indexOf('<section id="summary"')]
  expect(causes).toBeGreaterThan(0)
  expect(causes).toBeLessThan(summary)
  const shown = page.slice(causes, summary)
  expect(shown).toContain('Requests with an unknown model to <code>POST /v1/chat/completions</code> get 200')
  expect(shown).toContain('1 failure, 1 not testable')
  expect(shown).toMatch(/<pre [^>]*>curl <span class="nowrap">-sS<\/span> /)
  expect(shown).toMatch(/<blockquote>[^]*<dt>Expected<\/dt>[^]*<dt>Actual<\/dt>[^]*aria-label="Response">200/)
})
