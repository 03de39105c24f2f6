import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * Gives tests one directory for temporary files, which is removed when all have ended: what each of them leaves would stay for good.
 * Vitest calls this once for each project; the directory of the first serves all. Its path is short, because the path of a Unix socket
 * in it may have only about a hundred characters.
 */
export function setup(): () => void {
  if (/^ts-\w{6}$/.test(basename(tmpdir()))) return () => undefined
  const directory = mkdtempSync(join(tmpdir(), 'ts-'))
  process.env['TMPDIR'] = directory
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
}
