import { join } from 'node:path'
import type { Command } from 'commander'
import type { ResultDocument } from '../../reports/documents.ts'
import { reportHistory } from '../../reports/report-comparison.ts'
import { EARLIER_DIRECTORY } from '../../reports/earlier-documents.ts'
import { COMPARISON_OPTION_TABLE } from '../comparison-options.ts'
import { handleSignals } from '../handle-signals.ts'
import { addOptions } from '../options/add-options.ts'
import type { OptionValues } from '../../common/options/option-table.ts'
import { isDirectory, readAnyVersion, readDirectory } from '../read-documents.ts'
import { convertToUsageErrors, prepareReportDirectory } from '../report-errors.ts'
import { TOOL_VERSION } from '../version.ts'

export const REPORT_HISTORY_TABLE = { out: COMPARISON_OPTION_TABLE.out } as const

export function registerReportHistory(report: Command): void {
  const command = report
    .command('history')
    .summary('show verdicts and percentiles of several runs over time')
    .description(
      'Writes history.html, a page with the verdicts, their reasons and the percentiles of several runs over time. For a directory, it reads the documents in the directory and in its subdirectory "earlier". Partial runs have tables of their own. It skips documents of drafts and other versions of touchstone, and prints their number.',
    )
    .argument('<document|directory...>', 'documents of conformance and load runs, or directories of them')
  addOptions(command, REPORT_HISTORY_TABLE).addHelpText('after', HELP).action(run)
}

const HELP = `
Examples:
  touchstone report history touchstone-report
  touchstone report history monday.json tuesday.json --out public

Exit codes: 0 written, 2 usage error, such as an invalid document, 4 the page could not be written.
`

async function run(
  places: readonly string[],
  { out = REPORT_HISTORY_TABLE.out.default }: OptionValues<typeof REPORT_HISTORY_TABLE>,
  command: Command,
): Promise<void> {
  await convertToUsageErrors(command, async () => {
    const documents = (await Promise.all(places.map(readDocuments))).flat()
    handleSignals() // A signal does not interrupt the writing of a file.
    const read = documents.filter((document) => document !== 'unknown-version')
    const skipped = documents.length - read.length
    if (skipped > 0) process.stderr.write(`Skipped documents of drafts or other versions of touchstone: ${skipped}.\n`)
    await prepareReportDirectory(out)
    const page = await reportHistory(read, { directory: out, madeBy: `touchstone ${TOOL_VERSION}` })
    process.stdout.write(`${page}\n`)
  })
}

/**
 * Reads the document at a path. For a directory, reads all documents in it and in its subdirectory `earlier`.
 * @throws {InvalidDocumentError} if `place` is neither a directory nor a document
 */
async function readDocuments(place: string): Promise<(ResultDocument | 'unknown-version')[]> {
  if (!(await isDirectory(place))) return [await readAnyVersion(place)]
  return (await Promise.all([place, join(place, EARLIER_DIRECTORY)].map(readDirectory))).flat()
}
