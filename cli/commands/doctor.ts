import { type Command, Option } from 'commander'
import { UsageError } from '../../conformance/run-conformance.ts'
import { createStatusLine } from '../../reports/status-line.ts'
import { documentText } from '../../reports/write-document.ts'
import { describeFindings } from '../doctor/finding.ts'
import { examineMachine } from '../doctor/examine-machine.ts'
import { examineTarget, type TargetFlags } from '../doctor/examine-target.ts'
import { interruptible } from '../interruptible.ts'
import { keyOptions, targetOption } from '../target-options.ts'

const EXIT_INCOMPLETE = 3

/** Adds `touchstone doctor`. */
export function register(program: Command): void {
  const command = program
    .command('doctor')
    .summary('see whether all is there that a run needs')
    .description(
      'Looks at this machine and, with --target, at a deployment and its keys: what is there, and what to do where it is not.',
    )
    .addHelpText('after', HELP)
    .action(run)
  const own = [
    new Option('--ca <file>', 'certificate authorities to trust, PEM'),
    new Option('--insecure', 'accept any certificate'),
    new Option('--json', 'print what was found as JSON, and nothing else'),
  ]
  for (const option of [targetOption(), ...keyOptions(), ...own]) {
    command.addOption(option)
  }
}

const HELP = `
Examples:
  touchstone doctor
  touchstone doctor --target https://api.example.com --key "$KEY" --no-credits-key "$POOR" --limited-key "$SLOW"

Exit codes: 0 nothing is wrong (what lacks is needed by a part only), 2 wrong usage, 3 something is wrong.
Each key costs a few small requests.
`

async function run(flags: TargetFlags & { readonly json?: true }, command: Command): Promise<void> {
  const status = createStatusLine(process.stderr)
  try {
    const { json, ...target } = flags
    const findings = await interruptible(async (signal) => {
      if (target.target !== undefined) status.show('asking the target')
      return [...(await examineMachine(process.env)), ...(await examineTarget(target, signal))]
    }).finally(() => status.clear())
    process.stdout.write(json === true ? documentText(findings) : describeFindings(findings))
    process.exitCode = findings.some(({ state }) => state === 'wrong') ? EXIT_INCOMPLETE : 0
  } catch (error) {
    if (error instanceof UsageError) command.error(error.message)
    throw error
  }
}
