import { compareDocuments } from '../compare-documents.ts'
import { renderComparisonPage } from '../html/compare/render-comparison-page.ts'
import { buildHistories } from '../history/build-history.ts'
import { renderHistoryPage } from '../html/history/render-history-page.ts'
import { renderMatrixPage } from '../html/compare/render-matrix-page.ts'
import { renderConformancePage } from '../html/conformance/render-conformance-page.ts'
import { renderLoadPage } from '../html/load/render-load-page.ts'
import { buildMatrix } from '../matrix/build-matrix.ts'
import { createFullDocument } from './full-document.ts'
import { createBoth, createGatewayOnly } from './gateway-results.ts'
import { HOSTILE_TEXT, HOSTILE_MEGABYTE, replaceTexts } from './hostile.ts'
import { createLoadDocument, SAMPLE_SEARCH } from './sample-load.ts'

export const SAMPLE_CONFORMANCE = createFullDocument()
const { gateway: _, ...specificationOnly } = SAMPLE_CONFORMANCE
const other = {
  ...createFullDocument(),
  checks: createFullDocument().checks.map((check) => ({
    ...check,
    verdict: check.verdict === 'declared' ? check.verdict : ('pass' as const),
  })),
}
export const SAMPLE_LOAD = createLoadDocument()
const slower = createLoadDocument({ ...SAMPLE_LOAD, verdict: 'incomplete', calibration: null, series: [] })
export const SAMPLE_COMPARISON = compareDocuments(
  { name: 'before', document: other },
  { name: 'after', document: SAMPLE_CONFORMANCE },
)
const loads = compareDocuments({ name: 'before', document: SAMPLE_LOAD }, { name: 'after', document: slower })
export const SAMPLE_MATRIX = buildMatrix([
  { name: 'one', document: SAMPLE_CONFORMANCE },
  { name: 'two', document: other },
])

/** A document with about as many checks as the suite has. */
const large = { ...SAMPLE_CONFORMANCE, checks: Array.from({ length: 30 }, () => SAMPLE_CONFORMANCE.checks).flat() }
const search = createLoadDocument({
  verdict: 'within-budgets',
  profile: 'find',
  reasons: [
    'The budgets hold up to 16 requests per second. At 16.8 requests per second, ttft.p99 is 827 ms; the budget is <= 800 ms.',
  ],
  search: SAMPLE_SEARCH,
})
const { series, metrics, ...texts } = SAMPLE_LOAD
export const HOSTILE_LOAD = { ...replaceTexts(texts, HOSTILE_MEGABYTE), series, metrics }

/** Name of the page that takes seconds to render. */
export const SLOW_PAGE = 'hostile large conformance'

/** Functions that render each kind of report page with ordinary and with hostile content, keyed by name. */
export const PAGES: Readonly<Record<string, () => string>> = {
  conformance: () => renderConformancePage(specificationOnly),
  gateway: () => renderConformancePage(createGatewayOnly()),
  'conformance of a gateway': () => renderConformancePage(createBoth()),
  load: () => renderLoadPage(SAMPLE_LOAD),
  'load without series': () => renderLoadPage(slower),
  'load search': () => renderLoadPage(search),
  comparison: () => renderComparisonPage([SAMPLE_COMPARISON, loads], 'touchstone'),
  matrix: () => renderMatrixPage(SAMPLE_MATRIX, 'touchstone'),
  history: () => renderHistoryPage(buildHistories([SAMPLE_LOAD, SAMPLE_CONFORMANCE, SAMPLE_LOAD]), 'touchstone'),
  'hostile history': () =>
    renderHistoryPage(buildHistories([HOSTILE_LOAD, replaceTexts(SAMPLE_CONFORMANCE, HOSTILE_TEXT)]), HOSTILE_TEXT),
  'hostile conformance': () => renderConformancePage(replaceTexts(SAMPLE_CONFORMANCE, HOSTILE_TEXT)),
  [SLOW_PAGE]: () => renderConformancePage(replaceTexts(large, HOSTILE_MEGABYTE)),
  'hostile load': () => renderLoadPage(HOSTILE_LOAD),
  'hostile comparison': () =>
    renderComparisonPage(replaceTexts([SAMPLE_COMPARISON, loads], HOSTILE_MEGABYTE), HOSTILE_TEXT),
  'hostile matrix': () => renderMatrixPage(replaceTexts(SAMPLE_MATRIX, HOSTILE_MEGABYTE), HOSTILE_TEXT),
}
