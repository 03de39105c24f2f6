import { compareDocuments } from '../compare-documents.ts'
import { renderComparisonPage } from '../html/compare/render-comparison-page.ts'
import { renderMatrixPage } from '../html/compare/render-matrix-page.ts'
import { renderConformancePage } from '../html/conformance/render-conformance-page.ts'
import { renderLoadPage } from '../html/load/render-load-page.ts'
import { buildMatrix } from '../matrix/build-matrix.ts'
import { fullDocument } from './full-document.ts'
import { HOSTILE, HOSTILE_MEGABYTE, poisonTexts } from './hostile.ts'
import { loadDocument } from './sample-load.ts'

export const conformance = fullDocument()
const other = {
  ...fullDocument(),
  checks: fullDocument().checks.map((check) => ({ ...check, verdict: 'pass' as const })),
}
export const load = loadDocument()
const slower = loadDocument({ ...load, verdict: 'incomplete', calibration: null, series: [] })
export const comparison = compareDocuments(
  { name: 'before', document: other },
  { name: 'after', document: conformance },
)
const loads = compareDocuments({ name: 'before', document: load }, { name: 'after', document: slower })
export const matrix = buildMatrix([
  { name: 'one', document: conformance },
  { name: 'two', document: other },
])

/** As many rows as the suite has checks, each with every possible text. */
const large = { ...conformance, checks: Array.from({ length: 40 }, () => conformance.checks).flat() }
const { series, metrics, ...texts } = load
export const poisonedLoad = { ...poisonTexts(texts, HOSTILE_MEGABYTE), series, metrics }

/** Each kind of report page by name, with ordinary content and with hostile content. */
export const PAGES: Readonly<Record<string, () => string>> = {
  conformance: () => renderConformancePage(conformance),
  load: () => renderLoadPage(load),
  'load without series': () => renderLoadPage(slower),
  comparison: () => renderComparisonPage([comparison, loads], 'touchstone'),
  matrix: () => renderMatrixPage(matrix, 'touchstone'),
  'hostile conformance': () => renderConformancePage(poisonTexts(conformance, HOSTILE)),
  'hostile large conformance': () => renderConformancePage(poisonTexts(large, HOSTILE_MEGABYTE)),
  'hostile load': () => renderLoadPage(poisonedLoad),
  'hostile comparison': () => renderComparisonPage(poisonTexts([comparison, loads], HOSTILE_MEGABYTE), HOSTILE),
  'hostile matrix': () => renderMatrixPage(poisonTexts(matrix, HOSTILE_MEGABYTE), HOSTILE),
}
