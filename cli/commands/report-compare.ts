import type { Command } from 'commander'
import { EXIT_CODES } from '../../common/exit-codes.ts'
import { compareWithFirst, reportComparison, reportMatrix } from '../../reports/report-comparison.ts'
import { convertToUsageErrors, prepareReportDirectory } from '../report-errors.ts'
import { readNamedDocuments } from '../read-named-documents.ts'
import { handleSignals } from '../handle-signals.ts'
import { addOptions } from '../options/add-options.ts'
import type { OptionValues } from '../../common/options/option-table.ts'
import { COMPARISON_OPTION_TABLE, buildComparisonOptions } from '../comparison-options.ts'

export const REPORT_COMPARE_TABLE = {
  format: { ...COMPARISON_OPTION_TABLE.format, defaultText: 'none' },
  out: COMPARISON_OPTION_TABLE.out,
} as const

export function registerReportCompare(report: Command): void {
  const command = report
    .command('compare')
    .summary('compare two or more runs, and exit with 1 after a regression')
    .description(
      'Compares the first document with each of the others. Reports changed verdicts and observations, and percentiles that changed by more than the measurement error.',
    )
    .argument('<before>', 'a document, name=document, or a directory, of which the newest document counts')
    .argument('<after...>', 'one or more documents of the same kind, or directories')
  addOptions(command, REPORT_COMPARE_TABLE).addHelpText('after', HELP).action(run)
}

const HELP = `
Examples:
  touchstone report compare before after
  touchstone report compare before/conformance.json after/conformance.json
  touchstone report compare main=main.json branch=branch.json --format html,markdown --out comparison

Exit codes: 0 no regression, 1 a regression, 2 usage error, such as documents that cannot be compared, 4 a report could not be written.
`

async function run(
  before: string,
  after: readonly string[],
  { format = [], out = REPORT_COMPARE_TABLE.out.default }: OptionValues<typeof REPORT_COMPARE_TABLE>,
  command: Command,
): Promise<void> {
  await convertToUsageErrors(command, async () => {
    const documents = await readNamedDocuments([before, ...after])
    handleSignals() // A signal does not interrupt the writing of a file.
    if (format.length > 0) await prepareReportDirectory(out)
    const { comparisons, isWorse } = compareWithFirst(documents)
    process.exitCode = isWorse ? EXIT_CODES.regression : 0
    const written = await reportComparison(comparisons, buildComparisonOptions(format, out))
    for (const file of written) process.stdout.write(`${file}\n`)
  })
}

export const REPORT_MATRIX_TABLE = {
  format: { ...COMPARISON_OPTION_TABLE.format, default: 'html,markdown' },
  out: COMPARISON_OPTION_TABLE.out,
} as const

export function registerReportMatrix(report: Command): void {
  const command = report
    .command('matrix')
    .summary('compare several targets in one table')
    .description('Writes a table of requirements and unspecified behaviour, with a column for each target.')
    .argument('<document...>', 'conformance documents or directories, each as PATH or NAME=PATH')
  addOptions(command, REPORT_MATRIX_TABLE).addHelpText('after', MATRIX_HELP).action(runMatrix)
}

const MATRIX_HELP = `
Example:
  touchstone report matrix gateway=gateway.json "vendor A=vendor-a.json" --out matrix

Exit codes: 0 written, 2 usage error, such as a file that is not a conformance document, 4 a report could not be written.
`

async function runMatrix(
  files: readonly string[],
  { format = ['html', 'markdown'], out = REPORT_MATRIX_TABLE.out.default }: OptionValues<typeof REPORT_MATRIX_TABLE>,
  command: Command,
): Promise<void> {
  await convertToUsageErrors(command, async () => {
    const documents = await readNamedDocuments(files)
    handleSignals() // A signal does not interrupt the writing of a file.
    await prepareReportDirectory(out)
    const written = await reportMatrix(documents, buildComparisonOptions(format, out))
    process.stdout.write(`${written.join('\n')}\n`)
  })
}
