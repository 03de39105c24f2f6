import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const CHROMIUM_PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** Why tests in a browser are skipped; undefined where a Chromium is installed. */
export const NO_CHROMIUM =
  CHROMIUM_PATH === undefined ? 'Chromium is not installed: put chromium or google-chrome on the PATH' : undefined

/** Starts Chromium headless, and without a sandbox: containers run tests as root. */
export function startBrowser(): Promise<Browser> {
  if (CHROMIUM_PATH === undefined) throw new Error(NO_CHROMIUM)
  return chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox', '--disable-gpu'] })
}
