import type { Command } from 'commander'
import { prepareDirectory } from '../../reports/prepare-directory.ts'
import { reportComparison } from '../../reports/report-comparison.ts'
import { explainFaults } from '../report-faults.ts'
import { readNamed } from '../report-names.ts'
import { addSideBySideFlags, type SideBySideFlags, sideBySideOptions } from '../side-by-side-options.ts'

const EXIT_REGRESSION = 1

/** Adds `touchstone report compare`. */
export function registerCompare(report: Command): void {
  const command = report
    .command('compare')
    .summary('say what changed from one run to another; exit 1 where something is worse')
    .description(
      'Compares the first document with each of the others: verdicts, observations, and percentiles that moved beyond the error bounds and confidence intervals of both runs.',
    )
    .argument('<before>', 'a document, or name=document')
    .argument('<after...>', 'one or more others of the same sort')
  addSideBySideFlags(command).addHelpText('after', HELP).action(run)
}

const HELP = `
Examples:
  touchstone report compare before/conformance.json after/conformance.json
  touchstone report compare main=main.json branch=branch.json --format html,markdown --out comparison

Exit codes: 0 nothing is worse, 1 a regression, 2 wrong usage: documents that cannot be compared.
`

async function run(before: string, after: readonly string[], flags: SideBySideFlags, command: Command): Promise<void> {
  await explainFaults(command, `--out ${flags.out}`, async () => {
    const documents = await readNamed([before, ...after])
    if (flags.format.length > 0) await prepareDirectory(flags.out)
    const { isWorse, written } = await reportComparison(documents, sideBySideOptions(flags))
    for (const file of written) process.stdout.write(`${file}\n`)
    process.exitCode = isWorse ? EXIT_REGRESSION : 0
  })
}
