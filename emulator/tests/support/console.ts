import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Emulator } from '../../start-emulator.ts'
import { CHROMIUM_SKIP_REASON, startBrowser } from './browser.ts'

/** Timeout for starting the browser and for each test on a busy machine. */
export const BROWSER_TIMEOUT_MS = 60_000

/** An open console page, with its messages and the hosts that it contacted. */
export interface OpenConsole {
  readonly page: Page
  /** Console messages and exceptions of the page. */
  readonly consoleMessages: readonly string[]
  /** Hosts to which the page sent requests. */
  readonly hosts: ReadonlySet<string>
}

/**
 * Registers hooks that start a browser for the tests of a file, or skip the tests if Chromium is not installed.
 * @returns a function that opens the console of an emulator and waits for its first update
 */
export function setUpConsole() {
  let browser: Browser
  beforeAll(async () => {
    if (CHROMIUM_SKIP_REASON === undefined) browser = await startBrowser()
  }, BROWSER_TIMEOUT_MS)
  beforeEach((context) => context.skip(CHROMIUM_SKIP_REASON !== undefined, CHROMIUM_SKIP_REASON))
  afterAll(async () => {
    if (CHROMIUM_SKIP_REASON === undefined) await browser.close()
  })

  const openPage = async (url: string, options: BrowserContextOptions = {}): Promise<OpenConsole> => {
    const page = await browser.newPage({
      locale: 'en',
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce', // Colours during a transition would be judged as too close to each other.
      ...options,
    })
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS / 4)
    const consoleMessages: string[] = []
    const hosts = new Set<string>()
    page.on('console', (message) => consoleMessages.push(message.text()))
    page.on('pageerror', (error) => consoleMessages.push(String(error)))
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await page.goto(url)
    return { page, consoleMessages, hosts }
  }
  const openConsole = async (emulator: Emulator, options?: BrowserContextOptions) => {
    const opened = await openPage(`${emulator.url}/__emulator/`, options)
    await opened.page.getByText('Running').waitFor()
    return opened
  }
  return { openPage, openConsole }
}

/** Reads the text of each cell of a table, row by row. */
export function readTableRows(page: Page, table: string): Promise<(string | null)[][]> {
  return page
    .locator(`#${table} tbody tr`)
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent)))
}

/**
 * Reads the text of each cell in one column of a table.
 * @param column zero-based index
 */
export async function readTableColumn(
  page: Page,
  table: string,
  column: number,
): Promise<(string | null | undefined)[]> {
  return (await readTableRows(page, table)).map((cells) => cells[column])
}
