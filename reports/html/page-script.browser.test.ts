import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from '../../common/testing/browser.ts'
import { includeGateway } from '../gateway-run.ts'
import { HOSTILE_TEXT, replaceTexts } from '../testing/hostile.ts'
import { SAMPLE_CONFORMANCE, SAMPLE_MATRIX } from '../testing/sample-pages.ts'
import { renderMatrixPage } from './compare/render-matrix-page.ts'
import { renderConformancePage } from './conformance/render-conformance-page.ts'

const { checks: CHECKS } = includeGateway(SAMPLE_CONFORMANCE)
const FAILED = CHECKS.filter(({ verdict }) => verdict === 'fail')
const TOTAL = CHECKS.length

/** Builds a matrix with enough rows for the page to offer a search. */
function buildLongMatrix() {
  const requirements = Array.from({ length: 8 }, () => SAMPLE_MATRIX.requirements).flat()
  return { ...SAMPLE_MATRIX, requirements }
}

const newPage = useBrowser()

async function open(content = renderConformancePage(SAMPLE_CONFORMANCE), options: BrowserContextOptions = {}) {
  const page = await newPage({ viewport: { width: 1280, height: 900 }, ...options })
  await page.setContent(content)
  return page
}

const shownChecks = async (page: Page) =>
  new Set(
    await page
      .locator('[data-check]:not([hidden])')
      .evaluateAll((elements) => elements.map((element) => element.getAttribute('data-check') ?? '')),
  )

test('a search shows only the checks that contain every word, and clearing it shows all', async () => {
  const page = await open()
  const [failed] = FAILED
  await page.keyboard.press('/')
  await page.keyboard.type(failed?.id ?? '')
  expect(await shownChecks(page)).toEqual(new Set([failed?.id]))
  expect(await page.getByRole('status').textContent()).toBe(`1 of ${TOTAL} checks`)
  await page.keyboard.press('Escape')
  expect((await shownChecks(page)).size).toBe(TOTAL)
  expect(await page.getByRole('status').textContent()).toBe('')
})

test('offers every verdict of the page as a filter', async () => {
  const page = await open()
  const options = page.getByLabel('All verdicts').locator('option')
  const values = await options.evaluateAll((elements) => elements.map((element) => element.getAttribute('value') ?? ''))
  expect(new Set(values)).toEqual(new Set(['', ...CHECKS.map(({ verdict }) => verdict)]))
})

test('filters by verdict and by section', async () => {
  const page = await open()
  await page.getByLabel('All verdicts').selectOption('fail')
  expect(await shownChecks(page)).toEqual(new Set(FAILED.map(({ id }) => id)))
  await page.getByLabel('All verdicts').selectOption('')
  const section = FAILED[0]?.section ?? ''
  await page.getByLabel('All sections').selectOption(section)
  const ofSection = SAMPLE_CONFORMANCE.checks.filter((check) => check.section === section)
  expect(await shownChecks(page)).toEqual(new Set(ofSection.map(({ id }) => id)))
})

test('expands and collapses everything', async () => {
  const page = await open()
  const countOpen = () => page.locator('main details[open]').count()
  await page.getByRole('button', { name: 'Expand all' }).click()
  expect(await countOpen()).toBe(await page.locator('main details').count())
  await page.getByRole('button', { name: 'Collapse all' }).click()
  expect(await countOpen()).toBe(0)
})

test('copies a command', async () => {
  const page = await open()
  await page.evaluate('navigator.clipboard ??= {}')
  await page.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text }')
  await page.getByRole('button', { name: 'Copy the command' }).first().click()
  expect(await page.evaluate('window.copied')).toBe(await page.locator('pre[data-copy]').first().textContent())
  expect(await page.locator('.copy').first().textContent()).toBe('Copied')
  expect(await page.locator('[aria-live=polite]').textContent()).toBe('Copied')
})

test('a link to a check opens it', async () => {
  const page = await open()
  const link = page.locator('.cause a[href^="#check-"]').first()
  const target = page.locator(`[id="${(await link.getAttribute('href'))?.slice(1)}"]`)
  expect(await target.isVisible()).toBe(false)
  await page.locator('.cause summary').first().click()
  await link.click()
  await target.waitFor({ state: 'visible' })
})

test('a link of the contents opens its collapsed section', async () => {
  const page = await open()
  const requirement = page.locator('#requirements .requirement').first()
  await page.locator('#requirements .part').first().waitFor({ state: 'hidden' })
  await page.locator('nav a[href="#requirements"]').click()
  await page.locator('#requirements .part').first().waitFor({ state: 'visible' })
  expect(await requirement.isVisible()).toBe(false)
})

test('a quotation links to its sentence in the text of the specification', async () => {
  const requirement = { id: '5/keys', section: '5', level: 'stated', checks: [] } as const
  const quote = 'API keys start with the prefix sk-svc- followed by the key body.'
  const page = await open(
    renderConformancePage({
      ...SAMPLE_CONFORMANCE,
      requirements: [...SAMPLE_CONFORMANCE.requirements, { ...requirement, quote }],
    }),
  )
  await page.locator('nav a[href="#requirements"]').click()
  await page.locator('[data-part="5"] > summary').click()
  await page.getByRole('link', { name: '§5 Authentication' }).last().click()
  const target = page.locator('.specification :target')
  await target.waitFor({ state: 'visible' })
  expect(await target.textContent()).toContain(quote)
})

test('a search shows the rows of a group by the heading of the group', async () => {
  const page = await open(renderMatrixPage(buildLongMatrix(), 'touchstone'))
  const search = page.getByLabel('Search this report')
  await search.fill('§4.2')
  expect(await page.getByRole('status').textContent()).toMatch(/^(?!0 )\d+ of \d+ rows$/)
  for (const row of await page.locator('main tbody tr:not([hidden])').all()) {
    expect(await row.locator('xpath=..').textContent()).toContain('§4.2')
  }
})

test('without scripts, the page has no controls, and all of its content', async () => {
  const page = await open(undefined, { javaScriptEnabled: false })
  expect(await page.locator('input, select, button').count()).toBe(0)
  expect(await page.locator('[data-check]').count()).toBeGreaterThanOrEqual(TOTAL)
})

test('text of the target stays text when it is searched', async () => {
  const page = await open(renderConformancePage(replaceTexts(SAMPLE_CONFORMANCE, HOSTILE_TEXT)))
  const before = await page.locator('*').count()
  await page.keyboard.press('/')
  await page.keyboard.type('<script')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Expand all' }).click()
  expect(await page.locator('*').count()).toBe(before)
})
