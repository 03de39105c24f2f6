import type { Command } from 'commander'
import { EXIT_CODES } from '../../common/exit-codes.ts'
import { OPTION_TABLE } from '../../conformance/run-conformance.ts'
import { createStatusLine } from '../../reports/status-line.ts'
import { serializeDocument } from '../../reports/write-document.ts'
import { type DoctorFinding, formatDoctorFindings } from '../doctor/finding.ts'
import { checkMachine } from '../doctor/check-machine.ts'
import { checkTarget } from '../doctor/check-target.ts'
import { reportProxy } from '../report-proxy.ts'
import { handleSignals } from '../handle-signals.ts'
import { describeUsageError } from '../messages/conformance-messages.ts'
import { addOptions } from '../options/add-options.ts'
import type { OptionTable, OptionValues } from '../../common/options/option-table.ts'
import { CONFORMANCE_TABLE, listGeneralKeys, TARGET_TABLE } from '../read-conformance-options.ts'

export const DOCTOR_TABLE = {
  ...TARGET_TABLE,
  url: { ...TARGET_TABLE.url, description: 'base URL, with or without /v1, or a target file' },
  model: CONFORMANCE_TABLE.model,
  without: OPTION_TABLE.without,
  headers: OPTION_TABLE.headers,
  ca: OPTION_TABLE.ca,
  insecure: OPTION_TABLE.insecure,
  json: { flag: '--json', type: 'boolean', description: 'prints only the findings, as JSON' },
} as const satisfies OptionTable

export function registerDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .summary('check whether this machine and a target are ready for a run')
    .description(
      'Checks this machine and, with --target, a deployment and its keys. Prints what is missing and how to provide it.',
    )
    .addHelpText('after', HELP)
    .action(run)
  addOptions(command, DOCTOR_TABLE)
}

const HELP = `
Examples:
  touchstone doctor
  touchstone doctor --target https://api.example.com --key "$KEY" --no-credits-key "$POOR" --limited-key "$SLOW"
  touchstone doctor --target http://127.0.0.1:8000 --model whisper-1     (a server without keys)

Exit codes: 0 no error found, 2 usage error, 3 error found. A missing prerequisite is not an error if only some commands need it.
A warning is not an error either: a run is possible, but will report failures.
The command sends a few small requests with each key.
`

async function run(values: OptionValues<typeof DOCTOR_TABLE>, command: Command): Promise<void> {
  const status = createStatusLine(process.stderr)
  try {
    const { json, ...target } = values
    const signal = handleSignals()
    reportProxy(target.url)
    if (target.url !== undefined) status.show('testing the target')
    const findings = await findAll(target, signal, listGeneralKeys(command)).finally(() => status.clear())
    process.stdout.write(json === true ? serializeDocument(findings) : formatDoctorFindings(findings))
    process.exitCode = findings.some(({ state }) => state === 'error') ? EXIT_CODES.incomplete : 0
  } catch (error) {
    const usage = describeUsageError(error)
    if (usage !== undefined) command.error(usage)
    throw error
  }
}

const INTERRUPTED: DoctorFinding = {
  name: 'doctor',
  state: 'error',
  message: 'interrupted before all checks ended',
  remedy: 'run doctor again',
}

/** Checks the machine and the target. After an interruption, returns only the findings of complete checks. */
async function findAll(
  target: Parameters<typeof checkTarget>[0],
  signal: AbortSignal,
  generalKeys: readonly string[],
): Promise<DoctorFinding[]> {
  const machine = await checkMachine(process.env, signal)
  if (signal.aborted) return [INTERRUPTED]
  const found = await checkTarget(target, signal, generalKeys)
  return [...machine, ...(signal.aborted ? [INTERRUPTED] : found)]
}
