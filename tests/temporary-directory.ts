import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * Creates one temporary directory for all tests, and removes it when they have ended, so that tests leave no files
 * behind. Vitest calls this global setup once for each project; all projects share the first directory. Its path is
 * short, because the path of a Unix socket is limited to about 100 characters.
 */
export function setup(): () => void {
  if (/^ts-\w{6}$/.test(basename(tmpdir()))) return () => undefined
  const directory = mkdtempSync(join(tmpdir(), 'ts-'))
  process.env['TMPDIR'] = directory
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
}
