import { readFile } from 'node:fs/promises'
import { CommandLineError } from './command-line-error.ts'
import type { OptionRow } from '../common/options/option-table.ts'
import { isBuiltInEmulator } from './target-for-keys.ts'

/** The option of commands that read a target file. `--target` also accepts the path of a target file. */
export const TARGET_FILE_ROW = {
  flag: '--target-file',
  placeholder: 'file',
  type: 'file',
  description: 'file that describes the target; see conformance/targets/README.md',
} as const satisfies OptionRow

export interface TargetFile {
  readonly flag: string
  readonly path: string
}

/** Matches an absolute path on Windows. As a URL, its drive letter would be the scheme. */
const WINDOWS_PATH = /^[a-z]:[\\/]/i

/**
 * Returns the target file, which the user names with `--target` or `--target-file`. Returns undefined if there is none.
 * @param target value of `--target`
 * @throws CommandLineError if the two flags cannot be combined
 */
export function findTargetFile(target: string | undefined, targetFile: string | undefined): TargetFile | undefined {
  const isFile =
    target !== undefined && target.endsWith('.json') && (WINDOWS_PATH.test(target) || !URL.canParse(target))
  if (isBuiltInEmulator(target) && targetFile !== undefined) {
    throw new CommandLineError(
      `--target emulator cannot be combined with --target-file. Set --target to the address that ${targetFile} describes.`,
    )
  }
  if (isFile && targetFile !== undefined) {
    throw new CommandLineError(
      `--target ${target} and --target-file ${targetFile} are both target files. Use one of them.`,
    )
  }
  if (isFile) return { flag: '--target', path: target }
  return targetFile === undefined ? undefined : { flag: TARGET_FILE_ROW.flag, path: targetFile }
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

/** Describes a target file without an address. */
export function describeMissingUrl(path: string): string {
  return `${path} contains no url. Add one, or set --target URL.`
}
