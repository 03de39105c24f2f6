import type { Command } from 'commander'
import { prepareDirectory } from '../../reports/prepare-directory.ts'
import { reportMatrix } from '../../reports/report-matrix.ts'
import { convertToUsageErrors } from '../report-errors.ts'
import { readNamedDocuments } from '../read-named-documents.ts'
import { handleSignals } from '../handle-signals.ts'
import { addOptions } from '../options/add-options.ts'
import type { OptionValues } from '../../common/options/option-table.ts'
import { COMPARISON_OPTION_TABLE, buildComparisonOptions } from '../comparison-options.ts'

export const REPORT_MATRIX_TABLE = {
  format: { ...COMPARISON_OPTION_TABLE.format, default: 'html,markdown' },
  out: COMPARISON_OPTION_TABLE.out,
} as const

export function registerReportMatrix(report: Command): void {
  const command = report
    .command('matrix')
    .summary('compare several targets in one table')
    .description('Writes a table of requirements and unspecified behaviour, with a column for each target.')
    .argument('<document...>', 'conformance documents, each as FILE or NAME=FILE')
  addOptions(command, REPORT_MATRIX_TABLE).addHelpText('after', HELP).action(run)
}

const HELP = `
Example:
  touchstone report matrix gateway=gateway.json "vendor A=vendor-a.json" --out matrix

Exit codes: 0 written, 2 usage error, such as a file that is not a conformance document.
`

async function run(
  files: readonly string[],
  { format = ['html', 'markdown'], out = REPORT_MATRIX_TABLE.out.default }: OptionValues<typeof REPORT_MATRIX_TABLE>,
  command: Command,
): Promise<void> {
  await convertToUsageErrors(command, `--out ${out}`, async () => {
    const documents = await readNamedDocuments(files)
    handleSignals() // A signal does not interrupt the writing of a file.
    await prepareDirectory(out)
    const written = await reportMatrix(documents, buildComparisonOptions(format, out))
    process.stdout.write(`${written.join('\n')}\n`)
  })
}
