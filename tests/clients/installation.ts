import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled } from '../reverse-proxies/start-program.ts'
import type { ClientProgram, Installation } from './clients.ts'
import type { ClientCommand } from './run-client.ts'

const run = promisify(execFile)
const HERE = import.meta.dirname
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

const COMMANDS: Readonly<Record<Installation, string>> = {
  javascript: 'npm',
  'requirements-openai-2': 'python3',
  'requirements-openai-3': 'python3',
}

/** Returns the command that this machine lacks to install a client; undefined if nothing is missing. */
export function findMissingCommand(installation: Installation): string | undefined {
  return isInstalled(COMMANDS[installation]) ? undefined : `${COMMANDS[installation]} is not installed`
}

/** Returns the pinned version of a client's package. */
export function readPinnedVersion({ installation, package: name }: ClientProgram): string {
  const isNpm = installation === 'javascript'
  const file = isNpm ? 'javascript/package.json' : `python/${installation}.txt`
  const pattern = isNpm ? `"${name}": "(.+)"` : `^${name}==(\\S+)`
  const version = new RegExp(pattern, 'm').exec(readFileSync(join(HERE, file), 'utf8'))?.[1]
  if (version === undefined) throw new Error(`${file} does not pin a version of ${name}.`)
  return version
}

/**
 * Installs the packages of a client into a folder of the cache, unless they are already there, and returns the command
 * that runs its program.
 */
export async function installClient({ installation, program }: ClientProgram, cache: string): Promise<ClientCommand> {
  const directory = join(cache, installation)
  mkdirSync(directory, { recursive: true })
  if (installation === 'javascript') {
    cpSync(join(HERE, 'javascript'), directory, { recursive: true })
    if (!existsSync(join(directory, 'node_modules'))) {
      await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
        cwd: directory,
        maxBuffer: MAX_OUTPUT_BYTES,
      })
    }
    return { command: process.execPath, arguments: [join(directory, program)], directory }
  }
  if (!existsSync(join(directory, 'installed'))) {
    await run('python3', ['-m', 'venv', directory], { maxBuffer: MAX_OUTPUT_BYTES })
    const requirements = join(HERE, 'python', `${installation}.txt`)
    const flags = ['install', '--quiet', '--no-deps', '--requirement', requirements]
    await run(join(directory, 'bin', 'pip'), flags, { maxBuffer: MAX_OUTPUT_BYTES })
    mkdirSync(join(directory, 'installed'))
  }
  return { command: join(directory, 'bin', 'python'), arguments: [join(HERE, 'python', program)], directory }
}
