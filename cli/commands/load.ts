import { type Command, Option } from 'commander'
import {
  countAtEmulator,
  EXIT_CODES,
  findExcess,
  type LoadDocument,
  LoadUsageError,
  PROFILES,
  type ResolvedLoad,
  resolveLoad,
  runLoad,
  SCENARIOS,
} from '../../load/run-load.ts'
import { createStatusLine } from '../../reports/status-line.ts'
import { documentText } from '../../reports/write-document.ts'
import { askYesOrNo } from '../ask.ts'
import { interruptible } from '../interruptible.ts'
import { describeForecast, forecastOf } from '../load-forecast.ts'
import { type LoadFlags, loadOptions, startEmbedded } from '../load-options.ts'
import { describeLoadProgress, PHASES, showPhases } from '../load-progress.ts'
import { parseCount, parseCreditsText } from '../parse-number.ts'
import { parseDuration, parseLimit, parseRate, parseSegment, parseStart, parseWeights } from '../parse-load.ts'
import { prepareOut } from '../report-faults.ts'
import { CommandLineError } from '../usage-error.ts'
import { TOOL_VERSION } from '../version.ts'
import { writeLoadReport } from '../write-load-report.ts'

/** Adds `touchstone load`. */
export function register(program: Command): void {
  const command = program
    .command('load')
    .summary('load a deployment, with token timing, credits and budgets')
    .description(
      'Drives a deployment with k6 and judges it by budgets, on exact histograms, with the error of its own measurement. Without --target it starts the emulator and loads that.',
    )
    .argument('[k6-options...]', 'after --: handed to k6 as they are')
    .addHelpText('after', HELP)
    .action(run)
  for (const option of options()) {
    command.addOption(option)
  }
}

function options(): Option[] {
  return [
    new Option('--target <url>', 'base address, with or without /v1').env('TOUCHSTONE_TARGET'),
    new Option('--key <key>', 'key of an account with credits').env('TOUCHSTONE_KEY'),
    new Option('--limited-key <key>', 'key with a tight rate limit, for rate-limit').env('TOUCHSTONE_KEY_LIMITED'),
    new Option('--small-key <key>', 'key of an account with few credits, for credit-drain').env('TOUCHSTONE_KEY_SMALL'),
    new Option(
      '--limit <limit>',
      "what that rate limit is: '60/60s', or with a bucket '60/60s,burst=5'; ',obey': wait as a 429 tells",
    ).argParser(parseLimit),
    new Option('--small-balance <credits>', 'how many credits that account has').argParser(parseCreditsText),
    new Option('--scenario <name>', 'what is sent: see below').default('chat-stream'),
    new Option('--profile <name>', 'how much of it: see below').choices(Object.keys(PROFILES)).default('smoke'),
    new Option('--arrivals <kind>', "when requests go out (default: the profile's)").choices([
      'constant',
      'poisson',
      'closed',
      'trace',
    ]),
    new Option('--trace <file>', 'lines of {"atMs", "promptTokens", "outputTokens"}'),
    new Option('--vus <n>', 'most requests at once').argParser(parseCount),
    new Option('--rate <n>', 'requests per second, at the peak of the profile').argParser(parseRate),
    new Option('--duration <time>', 'of the whole profile: 30s, 5m, 1h').argParser(parseDuration),
    new Option('--iterations <n>', 'of a closed loop: end after so many').argParser(parseCount),
    new Option('--seed <n>', 'same seed, same requests at the same times').argParser(parseCount).default(1),
    new Option('--model <[operation=]model>', 'for all operations or for one (repeatable)').argParser(collect),
    new Option('--max-tokens <n>', 'of each chat').argParser(parseCount).default(64),
    new Option('--prompt-words <n>', 'rough length of a prompt').argParser(parseCount).default(30),
    new Option('--weights <weights>', "of mixed: 'chat-stream=3,images=1'").argParser(parseWeights),
    new Option(
      '--budget <budget>',
      "'ttft.p99<=800ms': a limit to hold (repeatable; default: failed.rate<=1%)",
    ).argParser(collect),
    new Option('--budgets <file>', 'budgets, one a line'),
    new Option('--max-credits <n>', 'refuse a run that may cost more, and end one before it does').argParser(
      parseCreditsText,
    ),
    new Option('--yes', 'begin it all the same'),
    new Option(
      '--count-prompts',
      'ask for each prompt once before the run, so that the forecast is exact for them: that costs them once more',
    ),
    new Option(
      '--content-path <path>',
      "where the text of an event is (default: choices.0.delta.content); '.' where an event is nothing but text",
    ),
    new Option('--no-stream-usage', 'leave stream_options out, which the document does not name'),
    new Option('--echo', 'ask for a word of its own in each answer, and look for those of others'),
    new Option('--ca <file>', 'certificates to trust, PEM (k6 takes them on Linux only)'),
    new Option('--insecure', 'take any certificate'),
    new Option('--segment <i/n>', 'make one of n equal parts of the load, for report merge').argParser(parseSegment),
    new Option(
      '--start-at <time>',
      'when the plan begins, so that parts share it: ISO 8601, or Unix seconds',
    ).argParser(parseStart),
    new Option('--no-calibration', 'leave the measurement of the own error out'),
    new Option('--k6 <path>', 'k6 with the extension (default: built once with Go)').env('TOUCHSTONE_K6'),
    new Option('--timeout-ms <n>', 'deadline of each request').argParser(parseCount).default(60_000),
    new Option('--out <directory>', 'where load-<scenario>.json goes').default('touchstone-report'),
    new Option('--json', 'print the document or the forecast as JSON, and nothing else'),
    new Option('--dry-run', 'show what a run would send and cost at most, and send nothing'),
  ]
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}

const list = (named: Readonly<Record<string, { readonly about: string }>>) =>
  Object.entries(named)
    .map(([name, { about }]) => `  ${name.padEnd(15)} ${about}`)
    .join('\n')

const HELP = `
Scenarios:
${list(SCENARIOS)}

Profiles:
${list(PROFILES)}

Budgets: ttft, gap, tpot, e2e, start_lag by p50, p90, p95, p99, mean or max; failed.rate, failed.count, dropped.count, rate,
goodput. Each also of one operation: 'images.e2e.p90<=5s'. A percentile needs samples: p50 11, p90 64, p95 130, p99 662.

Examples:
  touchstone load
  touchstone load --target https://api.example.com --key "$KEY" --profile average --budget 'ttft.p99<=800ms'
  touchstone load --scenario mixed --rate 20 --duration 2m --arrivals poisson --weights chat-stream=3,speech=1
  touchstone load --profile stress -- --out experimental-prometheus-rw
  touchstone load --segment 1/4 --start-at 2030-01-01T12:00:00Z --rate 100 --duration 5m

Exit codes: 0 within budgets, 1 a budget is broken, 2 wrong usage, 3 incomplete or invalid, 4 error of the generator itself.
A key is shown by its last four characters only. Flags come before the environment.
`

async function run(k6Options: readonly string[], flags: LoadFlags, command: Command): Promise<void> {
  if (k6Options.length > 0 && !process.argv.includes('--')) {
    command.error(`Too many arguments: options of k6 stand after --, like touchstone load -- ${k6Options[0]}.`)
  }
  try {
    const resolved = await resolve(flags, k6Options)
    if (flags.dryRun === true) {
      process.stdout.write(flags.json === true ? documentText(forecastOf(resolved)) : describeForecast(resolved))
      return
    }
    await agreeToCost(resolved, flags)
    process.exitCode = EXIT_CODES[await makeRun(resolved, flags)]
  } catch (error) {
    if (error instanceof LoadUsageError || error instanceof CommandLineError) command.error(error.message)
    process.stderr.write(`The load run itself went wrong: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = EXIT_CODES['harness-error']
  }
}

/** Where the emulator will be started, one can be asked beforehand what prompts count. */
async function resolve(flags: LoadFlags, k6Options: readonly string[]): Promise<ResolvedLoad> {
  if (flags.dryRun === true && flags.countPrompts === true) {
    throw new LoadUsageError('--count-prompts sends requests, and --dry-run sends none: give one of them.')
  }
  const resolved = await resolveLoad(await loadOptions(flags, k6Options))
  return resolved.options.target === undefined ? countAtEmulator(resolved, { startEmbedded }) : resolved
}

async function agreeToCost(resolved: ResolvedLoad, { yes }: LoadFlags): Promise<void> {
  const excess = findExcess(resolved)
  if (excess === undefined || yes === true) return
  if (
    process.stdin.isTTY &&
    process.stderr.isTTY &&
    (await askYesOrNo(`${excess} Begin all the same, and end it there?`))
  )
    return
  throw new LoadUsageError(`${excess} Send less, or say --yes: the run is then ended before its chat costs more.`)
}

/** Runs, reports, and gives the verdict, which a report that cannot be written makes an error. */
async function makeRun(resolved: ResolvedLoad, { out, json }: LoadFlags): Promise<LoadDocument['verdict']> {
  await prepareOut(out)
  const status = createStatusLine(process.stderr)
  const document = await interruptible((signal) =>
    runLoad(resolved, {
      toolVersion: TOOL_VERSION,
      environment: process.env,
      signal,
      startEmbedded,
      onPhase: showPhases(status),
      onProgress: (progress) => status.show(PHASES.running, ` · ${describeLoadProgress(progress)}`),
    }),
  )
  status.clear()
  return writeLoadReport(document, { out, json })
}
