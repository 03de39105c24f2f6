import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Gives tests one directory to write into, which goes when all have ended: what each of them leaves would stay for good.
 * Its name is short, as paths of sockets in it may be no longer than some hundred characters.
 */
export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'ts-'))
  process.env['TMPDIR'] = directory
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
}
