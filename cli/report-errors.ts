import type { Command } from 'commander'
import { prepareDirectory } from '../common/prepare-directory.ts'
import { makePrintable } from '../common/printable-text.ts'
import { InvalidDocumentError } from '../reports/documents.ts'
import { CommandLineError } from './command-line-error.ts'
import { failAtExit } from './internal-error.ts'

/**
 * Runs an action that reads documents and writes reports. Converts errors for an invalid document or directory into a
 * usage error (exit code 2). If a report cannot be written, prints an error message, and the command exits with 4.
 * @throws CommanderError
 */
export async function convertToUsageErrors(command: Command, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (error instanceof InvalidDocumentError || error instanceof CommandLineError)
      command.error(`error: ${error.message}`)
    if (!isSystemError(error)) throw error
    reportUnwritten('report', error)
  }
}

/**
 * Creates the directory of a report before the run.
 * @throws CommandLineError if it cannot be created
 */
export async function prepareReportDirectory(out: string): Promise<void> {
  await prepareDirectory(out).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new CommandLineError(`--out ${out} cannot be written (${code ?? message}). Choose another directory.`)
  })
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/**
 * Writes the result of a command. If that fails, prints an error message, and the command exits with 4, unless its
 * verdict takes precedence.
 */
export async function tryToWrite(what: 'report' | 'target file', write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof InvalidDocumentError) && !isSystemError(error)) throw error
    reportUnwritten(what, error)
  }
}

function reportUnwritten(what: string, { message }: Error): void {
  process.stderr.write(`The ${what} could not be written: ${makePrintable(message)}\n`)
  failAtExit()
}
