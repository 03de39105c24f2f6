import { Argument, type Command } from 'commander'
import { registerReportCompare, registerReportMatrix } from './report-compare.ts'
import { registerReportFiles } from './report-files.ts'
import { registerReportHistory } from './report-history.ts'
import { registerReportMerge } from './report-merge.ts'
import { DOCUMENT_KINDS, getSchema } from '../../reports/documents.ts'

export function registerReportCommand(program: Command): void {
  const report = program
    .command('report')
    .summary('convert, compare and merge result documents')
    .description('Converts, compares and merges the documents of runs.')
    .enablePositionalOptions()
  registerReportFiles(report)
  registerReportCompare(report)
  registerReportMatrix(report)
  registerReportHistory(report)
  registerReportMerge(report)
  registerReportSchema(report)
}

function registerReportSchema(report: Command): void {
  report
    .command('schema')
    .summary('print the JSON Schema of a kind of document')
    .description('Prints the JSON Schema (2020-12) of a document.')
    .addArgument(new Argument('<kind>', 'of document').choices(DOCUMENT_KINDS))
    .action((kind: (typeof DOCUMENT_KINDS)[number]) => {
      process.stdout.write(`${JSON.stringify(getSchema(kind), undefined, 2)}\n`)
    })
}
