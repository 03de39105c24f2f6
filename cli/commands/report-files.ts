import { basename, dirname } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { readDocument } from '../../reports/documents.ts'
import { prepareDirectory } from '../../reports/prepare-directory.ts'
import { REPORT_FORMATS, type ReportFormat, writeReports } from '../../reports/render-files.ts'
import { explainFaults } from '../report-faults.ts'

/** The flags as commander gives them. */
interface FileFlags {
  readonly format: readonly ReportFormat[]
  readonly out?: string
}

/** Lets `touchstone report FILE…` give documents other forms. */
export function registerFiles(report: Command): void {
  report
    .argument('[file...]', 'documents: conformance.json, load-….json, prove.json')
    .addOption(
      new Option('--format <list>', `of ${REPORT_FORMATS.join(', ')}, with commas`)
        .argParser(parseFormats)
        .default(['html'], 'html'),
    )
    .addOption(new Option('--out <directory>', 'where the reports go (default: beside each document)'))
    .addHelpText('after', HELP)
    .action(run)
}

const HELP = `
Examples:
  touchstone report touchstone-report/conformance.json
  touchstone report conformance.json load-chat-stream.json --format html,junit,markdown,badge --out public
  touchstone report compare before.json after.json

Exit codes: 0 written, 2 wrong usage: a file that is no document, or a place that cannot be written.
`

function parseFormats(value: string): ReportFormat[] {
  return value.split(',').map((name) => {
    const format = REPORT_FORMATS.find((candidate) => candidate === name.trim())
    if (format === undefined) throw new InvalidArgumentError(`Formats are ${REPORT_FORMATS.join(', ')}.`)
    return format
  })
}

async function run(files: readonly string[], { format, out }: FileFlags, command: Command): Promise<void> {
  if (files.length === 0) command.error('error: name a document, or one of the commands compare, matrix, merge, schema')
  await explainFaults(command, out === undefined ? 'the directory of the document' : `--out ${out}`, async () => {
    if (out !== undefined) refuseSameNames(files, command)
    const documents = await Promise.all(files.map(readDocument))
    if (out !== undefined) await prepareDirectory(out)
    for (const [index, document] of documents.entries()) {
      const path = files[index] ?? ''
      const written = await writeReports(document, { path, directory: out ?? dirname(path), formats: format })
      process.stdout.write(`${written.join('\n')}\n`)
    }
  })
}

/** Two files of one name would leave one report. */
function refuseSameNames(files: readonly string[], command: Command): void {
  const byName = Map.groupBy(files, (file) => basename(file))
  const same = [...byName.values()].find((group) => group.length > 1)
  if (same !== undefined) {
    command.error(`error: ${same.join(' and ')} would both be written as one: give each an --out of its own`)
  }
}
