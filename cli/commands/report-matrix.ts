import type { Command } from 'commander'
import { prepareDirectory } from '../../reports/prepare-directory.ts'
import { reportMatrix } from '../../reports/report-matrix.ts'
import { explainFaults } from '../report-faults.ts'
import { readNamed } from '../report-names.ts'
import { addSideBySideFlags, type SideBySideFlags, sideBySideOptions } from '../side-by-side-options.ts'

/** Adds `touchstone report matrix`. */
export function registerMatrix(report: Command): void {
  const command = report
    .command('matrix')
    .summary('set several targets side by side')
    .description('Makes a table of requirements and points of silence, with a column for each target.')
    .argument('<document...>', 'conformance documents, or name=document')
  addSideBySideFlags(command, ['html', 'markdown']).addHelpText('after', HELP).action(run)
}

const HELP = `
Example:
  touchstone report matrix gateway=gateway.json "vendor A=vendor-a.json" --out matrix

Exit codes: 0 written, 2 wrong usage: a file that is no conformance document.
`

async function run(files: readonly string[], flags: SideBySideFlags, command: Command): Promise<void> {
  await explainFaults(command, `--out ${flags.out}`, async () => {
    const documents = await readNamed(files)
    await prepareDirectory(flags.out)
    const written = await reportMatrix(documents, sideBySideOptions(flags))
    process.stdout.write(`${written.join('\n')}\n`)
  })
}
