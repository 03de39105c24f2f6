import type { Command } from 'commander'
import { EXIT_CODES } from '../../common/exit-codes.ts'
import { MUTANTS, prove } from '../../conformance/prove/prove.ts'
import { createProgressLine } from '../../reports/progress-line.ts'
import { reportProve } from '../../reports/report-prove.ts'
import { handleSignals } from '../handle-signals.ts'
import { describeUsageError } from '../messages/conformance-messages.ts'
import { addOptions } from '../options/add-options.ts'
import type { OptionTable, OptionValues } from '../../common/options/option-table.ts'
import { prepareReportDirectory, tryToWrite } from '../report-errors.ts'
import { TOOL_VERSION } from '../version.ts'
import { hasColor, printReport } from '../report-output.ts'

export const PROVE_TABLE = {
  only: {
    flag: '--only',
    placeholder: 'id',
    type: 'string',
    repeatable: true,
    description: 'runs only these mutants, separated by commas',
  },
  full: {
    flag: '--full',
    type: 'boolean',
    description: 'runs the whole suite against each mutant, which takes minutes instead of seconds',
  },
  list: { flag: '--list', type: 'boolean', description: 'prints all mutants with the checks that must catch them' },
  out: {
    flag: '--out',
    placeholder: 'directory',
    type: 'string',
    default: 'touchstone-report',
    description: 'directory to write prove.html and prove.json to',
  },
} as const satisfies OptionTable

export function registerProveCommand(program: Command): void {
  const command = program
    .command('prove')
    .summary('show that every check can fail')
    .description(
      'Tests the suite with mutants: changed emulators, each with one defect. Shows that exactly the expected checks fail for each mutant.',
    )
  addOptions(command, PROVE_TABLE).addHelpText('after', HELP).action(run)
}

const HELP = `
Examples:
  touchstone prove
  touchstone prove --only 2.3/created-in-ms,4.4/text-for-file

Exit codes: 0 proven, 1 not proven, 2 usage error, 3 interrupted, 4 internal error of the suite.
`

async function run(values: OptionValues<typeof PROVE_TABLE>, command: Command): Promise<void> {
  if (values.list === true) {
    process.stdout.write(printList())
    return
  }
  try {
    await proveAndReport(values)
  } catch (error) {
    const usage = describeUsageError(error)
    if (usage !== undefined) command.error(usage)
    throw error
  }
}

function printList(): string {
  const lines = MUTANTS.flatMap(({ id, breaks, kills }) => [`${id}: ${breaks}`, `    ${Object.keys(kills).join(', ')}`])
  return `${[...lines, '', `${MUTANTS.length} mutants`].join('\n')}\n`
}

async function proveAndReport({
  only = [],
  full,
  out = PROVE_TABLE.out.default,
}: OptionValues<typeof PROVE_TABLE>): Promise<void> {
  const signal = handleSignals()
  await prepareReportDirectory(out)
  const progress = createProgressLine(process.stderr, undefined, 'mutants')
  const document = await prove({
    only: only.flatMap((ids) => ids.split(',').map((id) => id.trim())),
    full: full === true,
    signal,
    toolVersion: TOOL_VERSION,
    onProgress: ({ done, total }) => progress.update(done, total),
  })
  progress.clear()
  process.exitCode = EXIT_CODES[document.verdict]
  await tryToWrite('report', () =>
    reportProve(document, {
      directory: out,
      hasColor: hasColor(),
      print: printReport,
      printPaths: printReport,
    }),
  )
}
