import { Argument, type Command } from 'commander'
import { DOCUMENT_KINDS, getSchema } from '../../reports/documents.ts'

export function registerReportSchema(report: Command): void {
  report
    .command('schema')
    .summary('print the JSON Schema of a kind of document')
    .description('Prints the JSON Schema (2020-12) of a document.')
    .addArgument(new Argument('<kind>', 'of document').choices(DOCUMENT_KINDS))
    .action((kind: (typeof DOCUMENT_KINDS)[number]) => {
      process.stdout.write(`${JSON.stringify(getSchema(kind), undefined, 2)}\n`)
    })
}
