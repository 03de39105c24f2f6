import type { Command } from 'commander'
import { type ConformanceOptions, planConformance, runConformance } from '../../conformance/run-conformance.ts'
import { InvalidDocumentError, readDocument } from '../../reports/documents.ts'
import { includeGateway } from '../../reports/gateway-run.ts'
import { updateKnownFailures } from '../../reports/known-failures.ts'
import { reportConformance } from '../../reports/report-conformance.ts'
import { serializeDocument } from '../../reports/write-document.ts'
import { CommandLineError } from '../command-line-error.ts'
import { replaceCommandNames } from '../format-command.ts'
import { prepareReportDirectory, tryToWrite } from '../report-errors.ts'
import { reportProxy } from '../report-proxy.ts'
import { handleSignals } from '../handle-signals.ts'
import { describeUsageError } from '../messages/conformance-messages.ts'
import { addOptions } from '../options/add-options.ts'
import { addLayeredHelp } from '../options/layered-help.ts'
import type { OptionTable, OptionValues } from '../../common/options/option-table.ts'
import { buildCheckList, formatEstimate, formatCheckList } from '../format-plan.ts'
import { DEFAULT_UPSTREAM_HOST, startUpstream } from '../start-upstream.ts'
import { createRunProgress } from '../run-progress.ts'
import {
  CONFORMANCE_TABLE,
  listGeneralKeys,
  readConformanceOptions,
  requireTargetForGivenKeys,
} from '../read-conformance-options.ts'
import { findTargetFile } from '../target-file.ts'
import { hasColor, printReport } from '../report-output.ts'
import { writeKnownFailures } from '../write-known-failures.ts'

export const CONFORMANCE_COMMAND_TABLE = {
  ...CONFORMANCE_TABLE,
  out: {
    flag: '--out',
    placeholder: 'directory',
    type: 'string',
    default: 'touchstone-report',
    description: 'directory to write conformance.json and conformance.html to',
  },
  upstreamHost: {
    flag: '--upstream-host',
    placeholder: 'address',
    type: 'string',
    default: DEFAULT_UPSTREAM_HOST,
    description: 'address on which the emulator for --upstream listens, such as 0.0.0.0 for a gateway in a container',
  },
  verbose: {
    flag: '--verbose',
    type: 'boolean',
    description: 'prints every failure and warning as well as their causes',
  },
  onlyFailed: {
    flag: '--only-failed',
    placeholder: 'file',
    type: 'file',
    description: 'runs only the checks that failed in this document of an earlier run',
    example: 'touchstone-report/conformance.json',
  },
  writeKnownFailures: {
    flag: '--write-known-failures',
    type: 'boolean',
    description:
      'writes the failures, warnings and declared differences to knownFailures of the target file, each with its reason',
  },
  list: { flag: '--list', type: 'boolean', description: 'prints all checks and sends no request' },
  dryRun: {
    flag: '--dry-run',
    type: 'boolean',
    description: 'prints the expected and the maximum number of requests and credits, and sends no request',
  },
  json: { flag: '--json', type: 'boolean', description: 'prints only the document, the list or the estimate, as JSON' },
} as const satisfies OptionTable

export function registerConformanceCommand(program: Command): void {
  const command = program
    .command('conformance')
    .summary('test a deployment against the specification')
    .description(
      'Tests a deployment against the specification, and shows the violated sentence and the raw response of every failure. Without a target and keys, or with --target emulator, it starts and tests the emulator.',
    )
    .action(run)
  addOptions(command, CONFORMANCE_COMMAND_TABLE)
  addLayeredHelp(command, CONFORMANCE_COMMAND_TABLE, { common: COMMON, examples: EXAMPLES })
}

const COMMON = [
  'url',
  'model',
  'keys.funded',
  'keys.noCredits',
  'keys.limited',
  'without',
  'only',
  'upstream',
  'strict',
  'out',
  'verbose',
  'dryRun',
] as const

const EXAMPLES = `
Examples:
  touchstone conformance
  touchstone conformance --target http://127.0.0.1:8080 --key "$KEY" --no-credits-key "$POOR" --limited-key "$SLOW"
  touchstone conformance --target https://api.example.com --key "$KEY" --only authentication,4.2/temperature-above
  touchstone conformance --target gateway.json --only-failed touchstone-report/conformance.json
  touchstone conformance --target http://127.0.0.1:8100 --key "$KEY" --upstream http://127.0.0.1:9100
  touchstone conformance --target gateway.json --budget 'chat-stream.ttft.p90<=800ms'

Exit codes: 0 conformant, 1 non-conformant, 2 usage error, 3 incomplete, 4 internal error of the suite.
The output shows no character of a key. Flags override environment variables, which override a target file.
`

async function run(values: OptionValues<typeof CONFORMANCE_COMMAND_TABLE>, command: Command): Promise<void> {
  const {
    out = CONFORMANCE_COMMAND_TABLE.out.default,
    list,
    dryRun,
    json,
    verbose,
    onlyFailed,
    writeKnownFailures: writesKnown,
    upstreamHost = CONFORMANCE_COMMAND_TABLE.upstreamHost.default,
    ...given
  } = values
  try {
    const others = onlyFailed === undefined ? given : { ...given, only: await readFailedChecks(onlyFailed, given.only) }
    const options = await readConformanceOptions(others, listGeneralKeys(command))
    if (list === true || dryRun === true) {
      const { plan, estimate } = planConformance(options)
      const document = list === true ? buildCheckList(plan) : estimate
      const text = list === true ? formatCheckList(plan) : formatEstimate(estimate)
      process.stdout.write(json === true ? serializeDocument(document) : text)
      return
    }
    requireTargetForGivenKeys(others)
    const knownFile = writesKnown === true ? findTargetFile(given.url) : undefined
    if (writesKnown === true && knownFile === undefined) {
      throw new CommandLineError('--write-known-failures needs a target file: write one with touchstone init.')
    }
    const isVerbose = verbose === true
    const upstream = await startUpstream(options.upstream, upstreamHost)
    try {
      await runAndReport(options, { out, json: json === true, isVerbose, knownFile })
    } finally {
      await upstream?.close()
    }
  } catch (error) {
    const usage = describeUsageError(error)
    if (usage !== undefined) command.error(usage)
    throw error
  }
}

/**
 * Reads the IDs of the checks with the verdict `fail` or `error` from the document of an earlier run.
 * @throws CommandLineError if `--only` is given too, or if the file is not a conformance document with such a check
 */
async function readFailedChecks(file: string, only: readonly string[] | undefined): Promise<readonly string[]> {
  if (only !== undefined) throw new CommandLineError('--only-failed and --only both select checks. Use one of them.')
  const document = await readDocument(file).catch((error: unknown) => {
    throw error instanceof InvalidDocumentError ? new CommandLineError(`--only-failed: ${error.message}`) : error
  })
  if (document.kind !== 'conformance') {
    throw new CommandLineError(
      `--only-failed ${file}: this document is from a ${document.kind} run. Specify the document of a conformance run.`,
    )
  }
  const { checks } = includeGateway(document)
  const failed = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'error').map(({ id }) => id)
  if (failed.length === 0) throw new CommandLineError(`--only-failed ${file}: no check failed in that run.`)
  return failed
}

interface ReportSettings {
  readonly out: string
  readonly json: boolean
  readonly isVerbose: boolean
  /** Target file whose list of known failures the run updates. */
  readonly knownFile: string | undefined
}

async function runAndReport(
  options: ConformanceOptions,
  { out, json, isVerbose, knownFile }: ReportSettings,
): Promise<void> {
  const signal = handleSignals()
  await prepareReportDirectory(out)
  reportProxy(options.url)
  const progress = createRunProgress(process.stderr)
  const { document, exitCode } = await runConformance({
    ...options,
    signal,
    onProgress: (now) => progress.update(now),
  })
  progress.clear()
  process.exitCode = exitCode
  await tryToWrite('report', () =>
    reportConformance(document, {
      directory: out,
      hasColor: hasColor(),
      exitCode,
      isVerbose,
      print: (text) =>
        json ? process.stdout.write(serializeDocument(document)) : printReport(replaceCommandNames(text)),
      printPaths: (text) => json || printReport(text),
    }),
  )
  if (knownFile === undefined) return
  await tryToWrite('target file', async () => {
    const sentence = await writeKnownFailures(knownFile, updateKnownFailures(document, options.knownFailures ?? []))
    if (!json) process.stdout.write(sentence)
  })
}
