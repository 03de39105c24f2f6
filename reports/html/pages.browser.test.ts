import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { renderJunit } from '../junit/render-junit.ts'
import { useBrowser } from '../../common/testing/browser.ts'
import { HOSTILE_TEXT, replaceTexts } from '../testing/hostile.ts'
import { SAMPLE_CONFORMANCE, SAMPLE_LOAD, PAGES, SLOW_PAGE, HOSTILE_LOAD } from '../testing/sample-pages.ts'

const newPage = useBrowser()

/** Opens a page, and collects its console messages, errors, dialogs and requests. */
async function open(content: string, options: object) {
  const page = await newPage(options)
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
  '%s: runs only its own script, sends no request, and has an intact layout',
  async (name) => {
    const content = PAGES[name]?.() ?? ''
    for (const width of [360, 768, 1280]) {
      const { page, complaints } = await open(content, { viewport: { width, height: 900 } })
      const before = await page.title()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      await openAll(page)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      // The browser applies the style and runs the script only if their digests match the policy.
      expect(await page.evaluate("getComputedStyle(document.querySelector('.skip')).position")).toBe('absolute')
      expect(await page.locator('script').count()).toBe(1)
      expect(await page.locator('iframe, img').count()).toBe(0)
      expect(await page.title()).toBe(before)
      expect(before).not.toBe('run')
      expect(complaints).toEqual([])
    }
  },
)

test.each(
  Object.keys(PAGES)
    // Excludes the large page, because it takes minutes and has the same elements as the small page.
    .filter((name) => name !== SLOW_PAGE)
    .flatMap((name) => (['light', 'dark'] as const).map((scheme) => [name, scheme] as const)),
)('%s, %s: axe finds no serious accessibility problem', async (name, colorScheme) => {
  const { page } = await open(PAGES[name]?.() ?? '', { colorScheme, viewport: { width: 360, height: 900 } })
  await openAll(page)
  await page.evaluate(axe.source)
  const found = await page.evaluate<{ impact: string; id: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations.map(({ impact, id, nodes }) => ({ impact, id, nodes: nodes.slice(0, 2).map(({ html }) => ({ html: html.slice(0, 200) })) })))',
  )
  expect(found.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
})

test.each(
  Object.keys(PAGES)
    .filter((name) => !name.startsWith('hostile'))
    .flatMap(
      (name) =>
        [
          [name, 1280, 900],
          [name, 375, 740],
        ] as const,
    ),
)('%s: has at most three screens of %i × %i px before a click', async (name, width, height) => {
  const { page } = await open(PAGES[name]?.() ?? '', { viewport: { width, height } })
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(3 * height)
})

test.each([1280, 375])('commands of causes wrap on a screen of %i px, so that the end is visible', async (width) => {
  const { page } = await open(PAGES['conformance']?.() ?? '', { viewport: { width, height: 740 } })
  const commands = page.locator('.cause .command pre').first()
  expect(await commands.textContent()).toContain('curl')
  const overflow =
    "[...document.querySelectorAll('.cause .command pre')].map((one) => one.scrollWidth - one.clientWidth)"
  expect(Math.max(...(await page.evaluate<number[]>(overflow)))).toBeLessThanOrEqual(0)
})

test('a narrow screen collapses charts, and a link of the contents opens them', async () => {
  const content = PAGES['load']?.() ?? ''
  const { page } = await open(content, { viewport: { width: 375, height: 740 } })
  expect(await page.locator('#percentiles svg').first().isVisible()).toBe(false)
  await page.locator('nav a[href="#percentiles"]').click()
  await page.locator('#percentiles svg').first().waitFor({ state: 'visible' })
  const { page: wide } = await open(content, { viewport: { width: 1280, height: 900 } })
  expect(await wide.locator('#percentiles svg').first().isVisible()).toBe(true)
})

test('a narrow screen shows all percentiles of a load run without horizontal scrolling', async () => {
  const { page } = await open(PAGES['load']?.() ?? '', { viewport: { width: 375, height: 740 } })
  await openAll(page)
  const overflow = "[...document.querySelectorAll('#figures .scroll')].map((one) => one.scrollWidth - one.clientWidth)"
  expect(await page.evaluate<number[]>(overflow)).toEqual([0])
  expect(await page.locator('#figures td[data-label=p99]').first().isVisible()).toBe(true)
})

test('a JUnit file is well-formed XML regardless of the target’s responses', async () => {
  const page = await newPage()
  for (const document of [
    SAMPLE_CONFORMANCE,
    replaceTexts(SAMPLE_CONFORMANCE, HOSTILE_TEXT),
    SAMPLE_LOAD,
    HOSTILE_LOAD,
  ]) {
    const parserError = await page.evaluate(
      "(text) => new DOMParser().parseFromString(text, 'text/xml').querySelector('parsererror')?.textContent",
      renderJunit(document),
    )
    expect(parserError).toBeUndefined()
  }
})
