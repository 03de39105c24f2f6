import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const CHROMIUM_PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** Why browser tests are skipped, or undefined if Chromium is installed. */
export const CHROMIUM_SKIP_REASON =
  CHROMIUM_PATH === undefined ? 'Chromium is not installed: put chromium or google-chrome on the PATH' : undefined

/** Starts Chromium in headless mode. It runs without a sandbox, because containers run tests as root. */
export function startBrowser(): Promise<Browser> {
  if (CHROMIUM_PATH === undefined) throw new Error(CHROMIUM_SKIP_REASON)
  return chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox', '--disable-gpu'] })
}
