import { readFile } from 'node:fs/promises'
import { CommandLineError } from './command-line-error.ts'
import { isBuiltInEmulator } from './target-for-keys.ts'

/** Matches an absolute path on Windows. As a URL, its drive letter would be the scheme. */
const WINDOWS_PATH = /^[a-z]:[\\/]/i

/**
 * Returns the path of the target file if `--target` names one: its name ends in `.json`, and it is no URL.
 * @param target value of `--target`
 */
export function findTargetFile(target: string | undefined): string | undefined {
  if (target === undefined || !target.endsWith('.json')) return undefined
  return WINDOWS_PATH.test(target) || !URL.canParse(target) ? target : undefined
}

/**
 * Reads a file that an option names.
 * @throws CommandLineError if the file cannot be read
 */
export async function readTextFile(flag: string, file: string, remedy: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandLineError(`${flag} ${file} cannot be read (${error.code ?? error.message}): ${remedy}`)
  })
}

/**
 * Returns the address in a target file. A file without an address describes several deployments, so the environment
 * contains the address.
 * @throws CommandLineError if there is no address
 */
export function addressOf(path: string, { url }: { readonly url?: string }): string {
  if (url !== undefined) return url
  const address = process.env['TOUCHSTONE_TARGET'] ?? ''
  // The variable can also contain the path of a target file, or name the built-in emulator.
  if (address !== '' && findTargetFile(address) === undefined && !isBuiltInEmulator(address)) return address
  throw new CommandLineError(`${path} contains no url. Add one, or set TOUCHSTONE_TARGET to an address.`)
}
