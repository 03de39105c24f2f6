import { type Command, Option } from 'commander'
import { planConformance, runConformance, UsageError } from '../../conformance/run-conformance.ts'
import { createProgressLine } from '../../reports/progress-line.ts'
import { reportConformance } from '../../reports/report-conformance.ts'
import { documentText } from '../../reports/write-document.ts'
import { type ConformanceFlags, conformanceOptions } from '../conformance-options.ts'
import { prepareOut, wasWritten } from '../report-faults.ts'
import { interruptible } from '../interruptible.ts'
import { parseCount, parseCredits } from '../parse-number.ts'
import { listOf, printForecast, printList } from '../print-plan.ts'

/** Adds `touchstone conformance`. */
export function register(program: Command): void {
  const command = program
    .command('conformance')
    .summary('judge a deployment, requirement by requirement')
    .description(
      'Judges a deployment against the document, with the sentence and the bytes. Without --target it starts the emulator and judges that.',
    )
    .addHelpText('after', HELP)
    .action(run)
  for (const option of options()) {
    command.addOption(option)
  }
}

function options(): Option[] {
  const noCreditsKey = new Option('--no-credits-key <key>', 'key of an account without credits').env(
    'TOUCHSTONE_KEY_NO_CREDITS',
  )
  // The name starts like a negated flag and is none.
  noCreditsKey.negate = false
  return [
    new Option('--target <url>', 'base address, with or without /v1; or a target file that ends in .json').env(
      'TOUCHSTONE_TARGET',
    ),
    new Option('--target-file <file>', 'what the owner of the target tells about it (conformance/targets/README.md)'),
    new Option('--key <key>', 'key of an account with credits').env('TOUCHSTONE_KEY'),
    noCreditsKey,
    new Option('--limited-key <key>', 'key with a tight rate limit, which the run exceeds').env(
      'TOUCHSTONE_KEY_LIMITED',
    ),
    new Option('--small-key <key>', 'key of an account with few credits, which the run uses up').env(
      'TOUCHSTONE_KEY_SMALL',
    ),
    new Option('--small-balance <credits>', 'how many credits that account has').argParser(parseCredits),
    new Option('--limited-burst <n>', 'parallel requests that exceed that limit (default: 20)').argParser(parseCount),
    new Option('--burst', 'allow requests that exceed a rate limit on purpose'),
    new Option('--base-url <url>', '{base_url} where the target is reached under another address'),
    new Option('--header <line>', "'Name: value' for every request (repeatable)").argParser(collect),
    new Option('--ca <file>', 'certificate authorities to trust, PEM'),
    new Option('--insecure', 'accept any certificate'),
    new Option('--only <id|section>', 'make these checks only (repeatable)').argParser(collect),
    new Option('--skip <id|section>', 'leave these checks out (repeatable)').argParser(collect),
    new Option('--sdk', 'call the target with the openai SDK, too, and say what it saw'),
    new Option('--budget <budget>', "'chat-stream.ttft.p90<=800ms': a limit to hold (repeatable)").argParser(collect),
    new Option('--samples <n>', 'requests per operation with a budget (default: what the budgets need)').argParser(
      parseCount,
    ),
    new Option('--known-failing <file>', 'checks that are known to fail, with reasons'),
    new Option('--strict', 'a warning makes the target non-conformant'),
    new Option('--accept-incomplete', 'exit 0 although some checks could not be made'),
    new Option('--max-requests <n>', 'send no more requests than this').argParser(parseCount),
    new Option('--max-credits <n>', 'spend no more credits than this, by their upper bound').argParser(parseCredits),
    new Option('--timeout-ms <n>', 'deadline of each request').argParser(parseCount).default(20_000),
    new Option('--max-seconds <n>', 'end the run after this, with what it has').argParser(parseCount).default(600),
    new Option('--concurrency <n>', 'checks at the same time').argParser(parseCount).default(8),
    new Option('--front <name>', 'what runs the checks').choices(['direct', 'vitest']).default('direct'),
    new Option('--out <directory>', 'where conformance.json and conformance.html go').default('touchstone-report'),
    new Option('--list', 'show all checks and send nothing'),
    new Option('--dry-run', 'show what a run would send at most, and send nothing'),
    new Option('--json', 'print the document, the list or the forecast as JSON, and nothing else'),
  ]
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}

const HELP = `
Examples:
  touchstone conformance
  touchstone conformance --target http://127.0.0.1:8080 --key "$KEY" --no-credits-key "$POOR" --limited-key "$SLOW"
  touchstone conformance --target https://api.example.com --key "$KEY" --only 5 --only 4.2/temperature-above
  touchstone conformance --target gateway.json --budget 'chat-stream.ttft.p90<=800ms'

Exit codes: 0 conformant, 1 non-conformant, 2 wrong usage, 3 incomplete, 4 error of the suite itself.
A key is shown by its last four characters only. Flags come before the environment, and that before a target file.
`

async function run(flags: ConformanceFlags, command: Command): Promise<void> {
  try {
    if (flags.list === true || flags.dryRun === true) {
      const { plan, forecast } = planConformance(await conformanceOptions(flags))
      const asked = flags.list === true ? listOf(plan) : forecast
      const text = flags.list === true ? printList(plan) : printForecast(forecast)
      process.stdout.write(flags.json === true ? documentText(asked) : text)
      return
    }
    process.exitCode = await judge(flags)
  } catch (error) {
    if (error instanceof UsageError) {
      command.error(error.message)
    }
    throw error
  }
}

/** Also where the report of a run cannot be written. */
const EXIT_HARNESS_ERROR = 4

/** Runs, reports, and gives the exit code. */
async function judge(flags: ConformanceFlags): Promise<number> {
  const options = await conformanceOptions(flags)
  await prepareOut(flags.out, UsageError)
  const progress = createProgressLine(process.stderr)
  const { document, exitCode } = await interruptible((signal) =>
    runConformance({ ...options, signal, onProgress: ({ done, total }) => progress.update(done, total) }),
  )
  progress.clear()
  const isWritten = await wasWritten(() =>
    reportConformance(document, {
      directory: flags.out,
      hasColor: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
      exitCode,
      print: (text) => process.stdout.write(flags.json === true ? documentText(document) : text),
      printPlaces: (text) => void (flags.json === true || process.stdout.write(text)),
    }),
  )
  return isWritten ? exitCode : EXIT_HARNESS_ERROR
}
