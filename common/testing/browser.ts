import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const CHROMIUM_PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

const CHROMIUM_SKIP_REASON = 'Chromium is not installed: put chromium or google-chrome on the PATH'

const BROWSER_START_TIMEOUT_MS = 120_000

/**
 * Starts headless Chromium for the tests of a file, which are skipped if Chromium is not installed. Closes all pages
 * after each test.
 * @returns a function that opens a page
 */
export function useBrowser(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (CHROMIUM_PATH === undefined) return
    browser = await chromium.launch({
      executablePath: CHROMIUM_PATH,
      args: [
        '--no-sandbox', // Chromium refuses to run as root with its sandbox, and containers run tests as root.
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  }, BROWSER_START_TIMEOUT_MS)
  beforeEach((context) => context.skip(CHROMIUM_PATH === undefined, CHROMIUM_SKIP_REASON))
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
  })
  afterAll(() => browser?.close())
  return async (options) => {
    if (browser === undefined) throw new Error(CHROMIUM_SKIP_REASON)
    return browser.newPage({ locale: 'en', ...options })
  }
}
