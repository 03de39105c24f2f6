import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startServer, type ServerProcess } from './server-process.ts'

const VERSION = '1.43.0'
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'touchstone-bench', `aimock-${VERSION}`)
const PACKAGE = join(CACHE, 'node_modules', '@copilotkit', 'aimock')
const RUNNER = fileURLToPath(new URL('./run-aimock.js', import.meta.url))

export const AIMOCK_NAME = `aimock ${VERSION}`

/**
 * Starts an aimock server that streams the fixed response text `content` in chunks of `chunkSize` characters. npm
 * installs aimock, which is not a dependency, into the user's cache directory on first use.
 * @returns undefined, after a message on stderr, if the installation fails
 */
export async function startAimock(content: string, chunkSize: number): Promise<ServerProcess | undefined> {
  if (!existsSync(PACKAGE) && !install()) {
    process.stderr.write(`${AIMOCK_NAME} is left out: npm could not install it into ${CACHE}.\n`)
    return undefined
  }
  const entry = pathToFileURL(join(PACKAGE, 'dist', 'index.js')).href
  return startServer([RUNNER, entry, content, String(chunkSize)])
}

function install(): boolean {
  process.stderr.write(`${AIMOCK_NAME} is installed into ${CACHE}\n`)
  mkdirSync(CACHE, { recursive: true })
  const flags = ['--prefix', CACHE, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  return spawnSync('npm', ['install', ...flags, `@copilotkit/aimock@${VERSION}`], { stdio: 'ignore' }).status === 0
}
