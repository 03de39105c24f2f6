import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the start of the name of a temporary file or directory of this process. Contains the host, because containers
 * that share a file system have equal process IDs.
 */
export function nameTemporary(prefix: string): string {
  return `${prefix}${hostname()}-${process.pid}-`
}

/**
 * Removes the temporary files and directories with this prefix whose process was killed, and therefore could not remove
 * them. Ignores errors, because they must not prevent a run.
 */
export function removeLeftOvers(directory: string, prefix: string): void {
  try {
    const start = `${prefix}${hostname()}-`
    for (const name of readdirSync(directory)) {
      const pid = name.startsWith(start) ? /^(\d+)-/.exec(name.slice(start.length))?.[1] : undefined
      if (pid === undefined || isRunning(Number(pid))) continue
      const path = join(directory, name)
      // Other users can create directories in a shared directory, and replace their contents while they are removed.
      const { uid } = lstatSync(path)
      if (uid === (process.getuid?.() ?? uid)) rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // The directory does not exist, or another process has removed its file.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
