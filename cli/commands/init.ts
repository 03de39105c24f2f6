import { type Command, Option } from 'commander'
import { UsageError } from '../../conformance/run-conformance.ts'
import { createStatusLine } from '../../reports/status-line.ts'
import { documentText } from '../../reports/write-document.ts'
import { askTarget, checkTargetFile, type InitFlags, saveTargetFile } from '../ask-target.ts'
import { interruptible } from '../interruptible.ts'
import { parseCredits } from '../parse-number.ts'
import { keyOptions, targetOption } from '../target-options.ts'

const EXIT_INCOMPLETE = 3

/** Adds `touchstone init`. */
export function register(program: Command): void {
  const command = program
    .command('init')
    .summary('write a target file by asking the target')
    .description(
      'Asks a deployment which models serve what, and what it does where the document is silent, and writes that down as a target file: from then on it is held to it.',
    )
    .addHelpText('after', HELP)
    .action(run)
  const own = [
    new Option('--header <line>', "'Name: value' for every request (repeatable)").argParser(collect),
    new Option('--ca <file>', 'certificate authorities to trust, PEM'),
    new Option('--insecure', 'accept any certificate'),
    new Option('--max-credits <n>', 'spend no more credits than this, by their upper bound').argParser(parseCredits),
    new Option('--file <file>', 'the file to write').default('touchstone.json'),
    new Option('--force', 'overwrite it'),
    new Option('--json', 'print the file, and write nothing'),
  ]
  for (const option of [targetOption(), ...keyOptions(), ...own]) {
    command.addOption(option)
  }
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}

const HELP = `
Examples:
  touchstone init --target https://api.example.com --key "$KEY" --no-credits-key "$POOR" --limited-key "$SLOW"
  touchstone init --target http://127.0.0.1:8080 --key "$KEY" --file gateway.json
  touchstone conformance --target gateway.json

Exit codes: 0 written, 2 wrong usage, 3 the target did not answer or refused the key.
Keys and headers are never written: the file names the environment variables that hold them.
`

async function run(flags: InitFlags, command: Command): Promise<void> {
  const status = createStatusLine(process.stderr)
  let matter = ''
  try {
    await checkTargetFile(flags)
    const answer = await interruptible((signal) =>
      askTarget(flags, {
        signal,
        onForecast: (requests) => {
          matter = `asking the target: at most ${requests} requests`
          status.show(matter)
        },
        onProgress: ({ done, total }) => status.show(matter, ` · ${done} of ${total} answers`),
      }),
    ).finally(() => status.clear())
    if ('problem' in answer) {
      process.stderr.write(`${answer.problem}\n`)
      process.exitCode = EXIT_INCOMPLETE
    } else {
      process.stdout.write(flags.json === true ? documentText(answer.draft) : await saveTargetFile(answer, flags))
    }
  } catch (error) {
    if (error instanceof UsageError) command.error(error.message)
    throw error
  }
}
