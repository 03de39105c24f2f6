import { type Command, Option } from 'commander'
import { MUTANTS, prove } from '../../conformance/prove/prove.ts'
import { createProgressLine } from '../../reports/progress-line.ts'
import type { ProveVerdict } from '../../reports/prove-document.ts'
import { reportProve } from '../../reports/report-prove.ts'
import { interruptible } from '../interruptible.ts'
import { describeUsageError } from '../messages/conformance-messages.ts'
import { prepareOut, wasWritten } from '../report-faults.ts'
import { TOOL_VERSION } from '../version.ts'

/** The flags as commander gives them. */
interface ProveFlags {
  readonly only?: readonly string[]
  readonly full?: true
  readonly list?: true
  readonly out: string
}

const EXIT_CODES: Readonly<Record<ProveVerdict, number>> = {
  proven: 0,
  'not-proven': 1,
  interrupted: 3,
  'harness-error': 4,
}

/** Adds `touchstone prove`. */
export function register(program: Command): void {
  program
    .command('prove')
    .summary('show that every check fails on a mutant of its own')
    .description(
      'Changes the responses of the emulator in one way after another (mutants), and shows that the checks meant for each, and no others, fail.',
    )
    .addOption(new Option('--only <mutant>', 'run these mutants only (repeatable)').argParser(collect))
    .addOption(new Option('--full', 'run the whole suite against each mutant, in minutes instead of seconds'))
    .addOption(new Option('--list', 'show all mutants with the checks meant to catch them, and run nothing'))
    .addOption(new Option('--out <directory>', 'where prove.html and prove.json go').default('touchstone-report'))
    .addHelpText('after', HELP)
    .action(run)
}

const HELP = `
Examples:
  touchstone prove
  touchstone prove --only 2.3/created-in-ms

Exit codes: 0 proven, 1 not proven, 2 wrong usage, 3 interrupted, 4 error of the suite itself.
`

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}

async function run(flags: ProveFlags, command: Command): Promise<void> {
  if (flags.list === true) {
    process.stdout.write(printList())
    return
  }
  try {
    process.exitCode = await proveAndReport(flags)
  } catch (error) {
    const usage = describeUsageError(error)
    if (usage !== undefined) command.error(usage)
    process.stderr.write(`The proof itself went wrong: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = EXIT_CODES['harness-error']
  }
}

function printList(): string {
  const lines = MUTANTS.flatMap(({ id, breaks, kills }) => [`${id}: ${breaks}`, `    ${Object.keys(kills).join(', ')}`])
  return `${[...lines, '', `${MUTANTS.length} mutants`].join('\n')}\n`
}

/** Runs, reports, and gives the exit code. */
async function proveAndReport({ only = [], full, out }: ProveFlags): Promise<number> {
  await prepareOut(out)
  const progress = createProgressLine(process.stderr, undefined, 'mutants')
  const document = await interruptible((signal) =>
    prove({
      only,
      full: full === true,
      signal,
      toolVersion: TOOL_VERSION,
      onProgress: ({ done, total }) => progress.update(done, total),
    }),
  )
  progress.clear()
  const isWritten = await wasWritten(() =>
    reportProve(document, {
      directory: out,
      hasColor: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
      print: (text) => process.stdout.write(text),
      printPlaces: (text) => process.stdout.write(text),
    }),
  )
  return EXIT_CODES[isWritten ? document.verdict : 'harness-error']
}
