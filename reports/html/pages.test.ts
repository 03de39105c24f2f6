import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareDocuments } from '../compare-documents.ts'
import { renderJunit } from '../junit/render-junit.ts'
import { buildMatrix } from '../matrix/build-matrix.ts'
import { CHROMIUM_PATH, startBrowser } from '../testing/browser.ts'
import { fullDocument } from '../testing/full-document.ts'
import { HOSTILE, HOSTILE_MEGABYTE, poisoned } from '../testing/hostile.ts'
import { figureOf, loadDocument } from '../testing/sample-load.ts'
import { renderComparisonPage } from './compare/render-comparison-page.ts'
import { renderMatrixPage } from './compare/render-matrix-page.ts'
import { renderConformancePage } from './conformance/render-conformance-page.ts'
import { renderLoadPage } from './load/render-load-page.ts'

const conformance = fullDocument()
const other = {
  ...fullDocument(),
  checks: fullDocument().checks.map((check) => ({ ...check, verdict: 'pass' as const })),
}
const load = loadDocument()
const slower = loadDocument({ ...load, verdict: 'incomplete', calibration: null, series: [] })
const comparison = compareDocuments({ name: 'before', document: other }, { name: 'after', document: conformance })
const loads = compareDocuments({ name: 'before', document: load }, { name: 'after', document: slower })
const matrix = buildMatrix([
  { name: 'one', document: conformance },
  { name: 'two', document: other },
])

/** As many rows as the suite has, each with every text there is. */
const large = { ...conformance, checks: Array.from({ length: 40 }, () => conformance.checks).flat() }
const { series, metrics, ...texts } = load
const poisonedLoad = { ...poisoned(texts, HOSTILE_MEGABYTE), series, metrics }

const PAGES: Readonly<Record<string, () => string>> = {
  conformance: () => renderConformancePage(conformance),
  load: () => renderLoadPage(load),
  'load without series': () => renderLoadPage(slower),
  comparison: () => renderComparisonPage([comparison, loads], 'touchstone'),
  matrix: () => renderMatrixPage(matrix, 'touchstone'),
  'hostile conformance': () => renderConformancePage(poisoned(conformance, HOSTILE)),
  'hostile large conformance': () => renderConformancePage(poisoned(large, HOSTILE_MEGABYTE)),
  'hostile load': () => renderLoadPage(poisonedLoad),
  'hostile comparison': () => renderComparisonPage(poisoned([comparison, loads], HOSTILE_MEGABYTE), HOSTILE),
  'hostile matrix': () => renderMatrixPage(poisoned(matrix, HOSTILE_MEGABYTE), HOSTILE),
}

const BROWSER_LIMIT_MS = 120_000

test.each(Object.keys(PAGES))('%s: one file of less than 2 MB that names its own style and nothing else', (name) => {
  const page = PAGES[name]?.() ?? ''
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
  expect(page).toMatch(/^<!doctype html>/i)
  expect(page).toMatch(/content="default-src 'none'; style-src 'sha256-[^' ]+'; base-uri 'none'; form-action 'none'"/)
  // Text in quotes is text, whatever it says.
  const markup = page.replace(/<style>[^]*?<\/style>/, '').replace(/="[^"]*"/g, '=""')
  expect(markup).not.toMatch(/<(?:script|link|iframe|object|embed|img)\b|<[^>]*\s(?:style|on[a-z]+)=/i)
  expect(page).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
})

test('what is cut says how much is missing', () => {
  expect(renderConformancePage(poisoned(conformance, HOSTILE_MEGABYTE))).toMatch(/… \[\d{3},\d{3} more characters\]/)
})

test('a load run of a million samples is a page of less than 2 MB', () => {
  const million = loadDocument({}, 10)
  const samples = Object.values(million.metrics).flatMap((figures) => Object.values(figures).map(({ n }) => n))
  expect(samples.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(1_000_000)
  const page = renderLoadPage(million)
  expect(page).toContain('class="band s0"')
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
})

test('a histogram that cannot be read is said to be one, and the figures are shown all the same', () => {
  const { 'chat-stream': stream } = load.metrics
  const ttftMs = stream?.ttftMs
  if (ttftMs === undefined) throw new Error('the sample has this figure')
  const page = renderLoadPage({ ...load, metrics: { 'chat-stream': { ttftMs: { ...ttftMs, histogram: 'none' } } } })
  expect(page).toContain('the histograms of this document cannot be read')
  expect(page).toContain('Time to first token, chat-stream')
})

test('where streams came in one piece, a sentence stands in place of charts of gaps', () => {
  const stream = load.metrics['chat-stream']
  const none = figureOf({ n: 20, medianMs: 0, spread: 0 })
  const zero = { ...none, min: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0 }
  const page = (gapMs: typeof zero) =>
    renderLoadPage({ ...load, metrics: { 'chat-stream': { ...stream, gapMs, tpotMs: gapMs, startLagMs: zero } } })
  expect(page(zero).match(/everything came in one piece: no gaps/g)).toHaveLength(2)
  expect(page(zero)).not.toMatch(/id="percentiles-(?:gap|tpot)Ms-title"/)
  expect(page(zero)).toContain('id="percentiles-startLagMs-title"')
  expect(page({ ...zero, max: 0.1 })).not.toContain('in one piece')
  expect(page({ ...zero, max: 0.1 })).toContain('id="percentiles-gapMs-title"')
})

test('a run whose time was used up says so beside its verdict', () => {
  const remark = 'The time for this run was used up: give it longer with --max-seconds.'
  const page = renderConformancePage({ ...conformance, verdict: 'incomplete', remarks: [remark] })
  expect(page).toMatch(/Incomplete \([^)<]*time used up[^<]*<\/h1>/)
  expect(page).toContain(`<li>${remark}</li>`)
})

test('verdicts are written as everywhere else', () => {
  const page = renderMatrixPage(matrix, 'touchstone') + renderComparisonPage([comparison], 'touchstone')
  expect(page).toContain('non-conformant')
  expect(page).not.toMatch(/non conformant/i)
})

test('a Chromium is there where nothing may be left out', () => {
  const mayLeaveOut = process.env['TOUCHSTONE_NOTHING_LEFT_OUT'] !== '1'
  expect(CHROMIUM_PATH !== undefined || mayLeaveOut).toBe(true)
})

describe.skipIf(CHROMIUM_PATH === undefined)('in a real Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  }, BROWSER_LIMIT_MS)
  afterAll(() => browser.close())

  /** Opens a page with every `details` open, and collects what the browser complains about and asks for. */
  async function open(content: string, options: object) {
    const page = await browser.newPage({ locale: 'en', ...options })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('dialog', (dialog) => complaints.push(dialog.message()))
    page.on('request', (request) => complaints.push(request.url()))
    await page.setContent(content)
    return { page, complaints }
  }

  const openAll = (page: Page) =>
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")

  test.each(Object.keys(PAGES))(
    '%s: nothing runs, nothing is asked for, the layout holds',
    { timeout: BROWSER_LIMIT_MS },
    async (name) => {
      const content = PAGES[name]?.() ?? ''
      for (const width of [360, 768, 1280]) {
        const { page, complaints } = await open(content, { viewport: { width, height: 900 } })
        const before = await page.title()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        await openAll(page)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        // The style took effect: its digest is the one of the policy.
        expect(await page.evaluate("getComputedStyle(document.querySelector('.skip')).position")).toBe('absolute')
        expect(await page.locator('script, iframe, img').count()).toBe(0)
        expect(await page.title()).toBe(before)
        expect(before).not.toBe('run')
        expect(complaints).toEqual([])
        await page.close()
      }
    },
  )

  test.each(
    Object.keys(PAGES)
      // Minutes for what the page of the few rows shows as well.
      .filter((name) => name !== 'hostile large conformance')
      .flatMap((name) => (['light', 'dark'] as const).map((scheme) => [name, scheme] as const)),
  )('%s, %s: axe finds nothing serious', { timeout: BROWSER_LIMIT_MS }, async (name, colorScheme) => {
    const { page } = await open(PAGES[name]?.() ?? '', { colorScheme, viewport: { width: 360, height: 900 } })
    await openAll(page)
    await page.evaluate(axe.source)
    const found = await page.evaluate<{ impact: string; id: string; nodes: { html: string }[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ impact, id, nodes }) => ({ impact, id, nodes: nodes.slice(0, 2).map(({ html }) => ({ html: html.slice(0, 200) })) })))',
    )
    expect(found.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
    await page.close()
  })

  test('a file for CI is well-formed XML, whatever a target said', async () => {
    const page = await browser.newPage()
    for (const document of [conformance, poisoned(conformance, HOSTILE), load, poisonedLoad]) {
      const fault = await page.evaluate(
        "(text) => new DOMParser().parseFromString(text, 'text/xml').querySelector('parsererror')?.textContent",
        renderJunit(document),
      )
      expect(fault).toBeUndefined()
    }
    await page.close()
  })
})
