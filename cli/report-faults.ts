import type { Command } from 'commander'
import { DocumentFault } from '../reports/documents.ts'
import { prepareDirectory } from '../reports/prepare-directory.ts'
import { CommandLineError } from './usage-error.ts'

/** Does something with documents; what is wrong with them, or with the place to write to, is told in a sentence (exit code 2). */
export async function explainFaults<Result>(
  command: Command,
  place: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof DocumentFault) command.error(`error: ${error.message}`)
    if (isSystemError(error)) command.error(`error: ${unwritable(place, error)}`)
    throw error
  }
}

/** Makes the directory of a report, before the run that it is for. @throws CommandLineError */
export async function prepareOut(out: string): Promise<void> {
  await prepareDirectory(out).catch((error: NodeJS.ErrnoException) => {
    throw new CommandLineError(unwritable(`--out ${out}`, error))
  })
}

function unwritable(place: string, { code, message }: NodeJS.ErrnoException): string {
  return `${place} cannot be written (${code ?? message}): name another directory.`
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** Writes the report of a run. What goes wrong is told in a sentence, since the run itself is over and printed. */
export async function wasWritten(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (!(error instanceof DocumentFault) && !isSystemError(error)) throw error
    process.stderr.write(`The report could not be written: ${error.message}\n`)
    return false
  }
}
