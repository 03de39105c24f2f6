import type { Command } from 'commander'
import { makePrintable } from '../common/printable-text.ts'
import { InvalidDocumentError } from '../reports/documents.ts'
import { prepareDirectory } from '../reports/prepare-directory.ts'
import { CommandLineError } from './command-line-error.ts'

/**
 * Runs an action on documents. Converts errors for an invalid document or an unwritable directory into a usage error
 * (exit code 2).
 * @throws CommanderError
 */
export async function convertToUsageErrors<Result>(
  command: Command,
  place: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof InvalidDocumentError) command.error(`error: ${error.message}`)
    if (isSystemError(error)) command.error(`error: ${describeUnwritable(place, error)}`)
    throw error
  }
}

/**
 * Creates the directory of a report before the run.
 * @throws CommandLineError if it cannot be created
 */
export async function prepareReportDirectory(out: string): Promise<void> {
  await prepareDirectory(out).catch((error: NodeJS.ErrnoException) => {
    throw new CommandLineError(describeUnwritable(`--out ${out}`, error))
  })
}

function describeUnwritable(place: string, { code, message }: NodeJS.ErrnoException): string {
  return `${place} cannot be written (${code ?? message}). Choose another directory.`
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/**
 * Writes the report of a run. Prints an error message if that fails.
 * @returns whether the report was written
 */
export async function tryToWriteReport(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (!(error instanceof InvalidDocumentError) && !isSystemError(error)) throw error
    process.stderr.write(`The report could not be written: ${makePrintable(error.message)}\n`)
    return false
  }
}
