import { basename, dirname } from 'node:path'
import type { Command } from 'commander'
import { EXIT_CODES } from '../../common/exit-codes.ts'
import { readDocument } from '../../reports/documents.ts'
import { REPORT_FORMATS, writeReports } from '../../reports/render-files.ts'
import { addOptions } from '../options/add-options.ts'
import type { OptionTable, OptionValues } from '../../common/options/option-table.ts'
import { handleSignals } from '../handle-signals.ts'
import { convertToUsageErrors, prepareReportDirectory } from '../report-errors.ts'

export const REPORT_FILES_TABLE = {
  format: {
    flag: '--format',
    placeholder: 'list',
    type: 'choices',
    choices: REPORT_FORMATS,
    default: 'html',
    description: 'formats to write, separated by commas',
  },
  out: {
    flag: '--out',
    placeholder: 'directory',
    type: 'string',
    defaultText: 'the directory of each document',
    description: 'directory to write the files to',
  },
} as const satisfies OptionTable

/** Adds the arguments of `touchstone report FILE…`, which converts documents to other formats. */
export function registerReportFiles(report: Command): void {
  report.argument('[file...]', 'documents: conformance.json, load-….json, prove.json')
  addOptions(report, REPORT_FILES_TABLE).addHelpText('after', HELP).action(run)
}

const HELP = `
Examples:
  touchstone report touchstone-report/conformance.json
  touchstone report conformance.json load-chat-stream.json --format html,junit,markdown,badge --out public
  touchstone report compare before.json after.json

Exit codes: 0 written, 2 usage error, such as an invalid document, 3 interrupted, 4 a report could not be written.
`

async function run(
  files: readonly string[],
  { format = ['html'], out }: OptionValues<typeof REPORT_FILES_TABLE>,
  command: Command,
): Promise<void> {
  if (files.length === 0)
    command.error('error: give a document, or one of the commands compare, matrix, history, merge, schema')
  await convertToUsageErrors(command, async () => {
    if (out !== undefined) rejectDuplicateNames(files, command)
    const documents = await Promise.all(files.map(readDocument))
    const signal = handleSignals()
    if (out !== undefined) await prepareReportDirectory(out)
    for (const [index, document] of documents.entries()) {
      if (signal.aborted) {
        process.stderr.write(`The command was interrupted after ${index} of ${documents.length} documents.\n`)
        process.exitCode = EXIT_CODES.incomplete
        return
      }
      const path = files[index] ?? ''
      const written = await writeReports(document, { path, directory: out ?? dirname(path), formats: format })
      process.stdout.write(`${written.join('\n')}\n`)
    }
  })
}

/**
 * Rejects files with the same name, because their reports would overwrite each other.
 * @throws CommanderError
 */
function rejectDuplicateNames(files: readonly string[], command: Command): void {
  const byName = Map.groupBy(files, (file) => basename(file))
  const same = [...byName.values()].find((group) => group.length > 1)
  if (same !== undefined) {
    command.error(`error: ${same.join(' and ')} would be written to the same file. Use a separate --out for each`)
  }
}
