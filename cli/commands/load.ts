import type { Command } from 'commander'
import { EXIT_CODES } from '../../common/exit-codes.ts'
import {
  findSpendExcess,
  InvalidOptionError,
  OPTION_READERS,
  OPTION_TABLE,
  parseBudget,
  prepareLoad,
  PROFILES,
  runLoad,
  SCENARIOS,
  summarizePlan,
  type GivenOptions,
  type LoadContext,
  type LoadPlan,
  type OptionTypes,
} from '../../load/run-load.ts'
import { makePrintable } from '../../common/printable-text.ts'
import { createStatusLine } from '../../reports/status-line.ts'
import { serializeDocument } from '../../reports/write-document.ts'
import { startEmbeddedEmulator } from '../embedded-target.ts'
import { reportProxy } from '../report-proxy.ts'
import { handleSignals } from '../handle-signals.ts'
import { formatLoadCommand } from '../format-load-command.ts'
import { createLoadDisplay } from '../load-progress.ts'
import { flagOf, describeLoadPlan, describeSpendExcess, formatLoadOptionName } from '../messages/load-messages.ts'
import { addOptions } from '../options/add-options.ts'
import { addLayeredHelp } from '../options/layered-help.ts'
import type { OptionTable, OptionValues } from '../../common/options/option-table.ts'
import { prepareReportDirectory } from '../report-errors.ts'
import { CommandLineError } from '../command-line-error.ts'
import { readLoadTarget } from '../read-load-target.ts'
import { findTargetFile } from '../target-file.ts'
import { isBuiltInEmulator, requireTargetForKeys } from '../target-for-keys.ts'
import { TOOL_VERSION } from '../version.ts'
import { writeLoadReport } from '../write-load-report.ts'

const { target: TARGET_ROW, ...OTHER_ROWS } = OPTION_TABLE

export const LOAD_TABLE = {
  target: {
    ...TARGET_ROW,
    description:
      'base URL, with or without /v1; or a target file (.json); or "emulator" for the built-in emulator, which is the default if no key is given',
  },
  ...OTHER_ROWS,
  yes: {
    flag: '--yes',
    type: 'boolean',
    description: 'starts a run that may cost more than --max-credits, and ends the run at that limit',
  },
  out: {
    flag: '--out',
    placeholder: 'directory',
    type: 'string',
    default: 'touchstone-report',
    description: 'directory to write load-<scenario>.json to',
  },
  verbose: {
    flag: '--verbose',
    type: 'boolean',
    description: 'prints all latencies, with the error of each percentile, and the phases of connections',
  },
  json: { flag: '--json', type: 'boolean', description: 'prints only the document or the estimate, as JSON' },
  dryRun: {
    flag: '--dry-run',
    type: 'boolean',
    description: 'prints the maximum number of requests and credits, and sends no request',
  },
} as const satisfies OptionTable

type LoadValues = OptionValues<typeof LOAD_TABLE, OptionTypes>

export function registerLoadCommand(program: Command): void {
  const command = program
    .command('load')
    .summary('load-test a deployment, and compare its latency with budgets')
    .description(
      'Load-tests a deployment with k6, and compares latency percentiles with budgets. The report states the measurement error of the load generator. Without a target and keys, or with --target emulator, it starts and load-tests the emulator.',
    )
    .argument('[k6-options...]', 'options after -- are passed to k6 unchanged')
    .action(run)
  addOptions(command, LOAD_TABLE, OPTION_READERS)
  addLayeredHelp(command, LOAD_TABLE, { common: COMMON, details: DETAILS, examples: EXAMPLES })
}

const list = (named: Readonly<Record<string, { readonly about: string }>>) =>
  Object.entries(named)
    .map(([name, { about }]) => `  ${name.padEnd(15)} ${about}`)
    .join('\n')

const COMMON = [
  'target',
  'key',
  'models',
  'scenario',
  'profile',
  'vus',
  'rate',
  'durationS',
  'budgets',
  'find',
  'maxCredits',
  'out',
] as const

const DETAILS = `
Scenarios:
${list(SCENARIOS)}

Profiles:
${list(PROFILES)}

Budgets:
  Latencies: ttft, text_ttft, itl, tpot, e2e, start_lag; with --upstream also added.ttft, added.itl, added.e2e
  Statistics of a latency: p50, p90, p95, p99, mean, max, as in 'ttft.p90<=800ms'
  Counts and rates: failed.rate, failed.count, dropped.count, rate, tokens.rate (output tokens per second), goodput (successful requests per second that meet every budget)
  The name of an operation restricts most budgets to this operation: 'images.e2e.p90<=5s'
  A percentile needs enough samples: 11 for p50, 64 for p90, 130 for p95, 662 for p99
`

const EXAMPLES = `
Examples:
  touchstone load
  touchstone load --target https://api.example.com --key "$KEY" --profile average --rate 20 --budget 'ttft.p99<=800ms'
  touchstone load --target gateway.json --rate 20 --duration 30s
  touchstone load --target http://127.0.0.1:8100 --upstream http://127.0.0.1:8099 --rate 20 --budget 'added.ttft.p90<=20ms'
  touchstone load --scenario mixed --rate 20 --duration 2m --arrivals poisson --weights chat-stream=3,speech=1
  touchstone load --find 'ttft.p99<=800ms' --max-rate 200 --max-credits 50
  touchstone load --find 'ttft.p99<=800ms' --find-over streams
  touchstone load --profile stress -- --out experimental-prometheus-rw
  touchstone load --segment 1/4 --start-at 2030-01-01T12:00:00Z --rate 100 --duration 5m

Exit codes: 0 within budgets, 1 a budget is exceeded, 2 usage error, 3 incomplete or invalid, 4 internal error of the load generator.
The output shows no character of a key. Flags override environment variables, which override a target file.
`

async function run(k6Options: readonly string[], values: LoadValues, command: Command): Promise<void> {
  if (k6Options.length > 0 && !process.argv.includes('--')) {
    command.error(`Too many arguments: put k6 options after --, as in touchstone load -- ${k6Options[0]}.`)
  }
  const { yes, out = LOAD_TABLE.out.default, verbose, json, dryRun, ...flags } = values
  const { TOUCHSTONE_K6, TOUCHSTONE_UPSTREAM_KEY } = process.env
  const given = { ...flags, k6: TOUCHSTONE_K6, upstreamKey: TOUCHSTONE_UPSTREAM_KEY }
  try {
    // Reports an invalid budget before a missing target, because the error is in the command line itself.
    for (const budget of given.budgets ?? []) parseBudget(budget)
    requireTargetForKeys(given.target, givenKeys(given))
    const options = await readTarget(given, command)
    const plan = await prepareLoad(options, k6Options)
    if (dryRun === true) {
      process.stdout.write(json === true ? serializeDocument(summarizePlan(plan)) : describeLoadPlan(plan))
      return
    }
    if (yes !== true) rejectExcess(plan)
    const proxies = {
      proxy: reportProxy(plan.options.target),
      upstreamProxy: reportProxy(plan.options.upstream),
    }
    await runAndReport(plan, { out, verbose, json, proxies, command: formatLoadCommand(given, k6Options) })
  } catch (error) {
    if (error instanceof InvalidOptionError) command.error(error.describe(flagOf))
    if (error instanceof CommandLineError) command.error(error.message)
    const problem = error instanceof Error ? error.message : String(error)
    process.stderr.write(`The load run itself failed: ${makePrintable(problem)}\n`)
    process.exitCode = EXIT_CODES['harness-error']
  }
}

/** Replaces a target file by the options that it contains, and omits the target "emulator". */
async function readTarget(given: GivenOptions, command: Command): Promise<GivenOptions> {
  const file = findTargetFile(given.target)
  if (file !== undefined) {
    return readLoadTarget(
      file,
      given,
      KEY_NAMES.filter((name) => command.getOptionValueSource(name) === 'env'),
    )
  }
  const { target, ...untargeted } = given
  return isBuiltInEmulator(target) ? untargeted : given
}

const KEY_NAMES = ['key', 'limitedKey', 'smallKey'] as const

function givenKeys(values: LoadValues) {
  return KEY_NAMES.filter((name) => values[name] !== undefined).map((name) => OPTION_TABLE[name])
}

/** @throws CommandLineError for a run that may cost more than `--max-credits` */
function rejectExcess(plan: LoadPlan): void {
  const excess = findSpendExcess(plan)
  if (excess === undefined) return
  throw new CommandLineError(
    `${describeSpendExcess(excess)} Reduce the load, or confirm with --yes. A run with --yes stops before its chat requests exceed --max-credits.`,
  )
}

/** Runs a plan and writes its report. */
async function runAndReport(
  plan: LoadPlan,
  {
    out,
    verbose,
    json,
    proxies,
    command,
  }: {
    readonly out: string
    readonly verbose: boolean | undefined
    readonly json: boolean | undefined
    readonly proxies: Pick<LoadContext, 'proxy' | 'upstreamProxy'>
    /** Command that repeats the run. */
    readonly command: string
  },
): Promise<void> {
  const signal = handleSignals()
  await prepareReportDirectory(out)
  const status = createStatusLine(process.stderr)
  const document = await runLoad(plan, {
    toolVersion: TOOL_VERSION,
    environment: process.env,
    ...proxies,
    signal,
    startEmbedded: startEmbeddedEmulator,
    nameOption: formatLoadOptionName,
    ...createLoadDisplay(status, plan),
  })
  status.clear()
  await writeLoadReport({ ...document, command }, { out, verbose, json })
}
