import type { BrowserContextOptions, Page } from 'playwright-core'
import { useBrowser } from '../../../common/testing/browser.ts'
import type { Emulator } from '../../start-emulator.ts'

/** Timeout of each action in a page on a busy machine. */
const ACTION_TIMEOUT_MS = 15_000

/** An open console page, with its messages and the hosts that it contacted. */
export interface OpenConsole {
  readonly page: Page
  readonly consoleMessages: readonly string[]
  /** Hosts to which the page sent requests. */
  readonly hosts: ReadonlySet<string>
}

/**
 * Registers hooks that start a browser for the tests of a file, or skip the tests if Chromium is not installed.
 * @returns a function that opens the console of an emulator and waits for its first update
 */
export function setUpConsole() {
  const newPage = useBrowser()

  const openPage = async (url: string, options: BrowserContextOptions = {}): Promise<OpenConsole> => {
    const page = await newPage({
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce', // Colours during a transition would be judged as too close to each other.
      ...options,
    })
    page.setDefaultTimeout(ACTION_TIMEOUT_MS)
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
