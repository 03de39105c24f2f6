import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const CHROMIUM_PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** Reason for skipping browser tests. Undefined if Chromium is installed. */
export const CHROMIUM_SKIP_REASON =
  CHROMIUM_PATH === undefined ? 'Chromium is not installed: put chromium or google-chrome on the PATH' : undefined

/** Starts headless Chromium without background network activity. */
export function startBrowser(): Promise<Browser> {
  if (CHROMIUM_PATH === undefined) throw new Error(CHROMIUM_SKIP_REASON)
  return chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [
      '--no-sandbox', // Chromium refuses to run as root with its sandbox, and containers run tests as root.
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
