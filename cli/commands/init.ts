import type { Command } from 'commander'
import { EXIT_CODES } from '../../common/exit-codes.ts'
import { makePrintable } from '../../common/printable-text.ts'
import { createStatusLine } from '../../reports/status-line.ts'
import { serializeDocument } from '../../reports/write-document.ts'
import { probeTarget, INIT_TABLE, type InitValues } from '../probe-target.ts'
import { checkTargetFile, saveTargetFile } from '../write-target-file.ts'
import { tryToWrite } from '../report-errors.ts'
import { handleSignals } from '../handle-signals.ts'
import { describeUsageError } from '../messages/conformance-messages.ts'
import { replaceCommandNames } from '../format-command.ts'
import { DEFAULT_UPSTREAM_HOST, startUpstream } from '../start-upstream.ts'
import { addOptions } from '../options/add-options.ts'
import { addLayeredHelp } from '../options/layered-help.ts'

export function registerInitCommand(program: Command): void {
  const command = program
    .command('init')
    .summary('write a target file for a deployment')
    .description(
      'Records the models of a deployment, its unspecified behaviour and its differences from the specification in a target file. Runs the suite two or three times. Later runs with this file report changes.',
    )
    .action(run)
  addOptions(command, INIT_TABLE)
  addLayeredHelp(command, INIT_TABLE, { common: COMMON, examples: EXAMPLES })
}

/** Status line of each run. */
const RUNS = ['testing the target', 'testing the draft', 'testing the changed draft']

const COMMON = [
  'url',
  'keys.funded',
  'keys.noCredits',
  'keys.limited',
  'model',
  'without',
  'headers',
  'upstream',
  'rate',
  'file',
  'force',
] as const

const EXAMPLES = `
Examples:
  touchstone init --target https://api.example.com --key "$KEY" --no-credits-key "$POOR" --limited-key "$SLOW"
  touchstone init --target http://127.0.0.1:8080 --key "$KEY" --file gateway.json
  touchstone init --target http://127.0.0.1:8000 --file server.json     (a server without keys)
  touchstone init --target http://127.0.0.1:8100 --key "$KEY" --upstream http://127.0.0.1:9100 --file gateway.json
  touchstone conformance --target gateway.json

Exit codes: 0 written, 2 usage error, 3 the target did not respond or rejected the key, 4 the file could not be written.
The file contains no keys. It contains the names of the environment variables that hold the keys.
`

async function run(values: InitValues, command: Command): Promise<void> {
  const status = createStatusLine(process.stderr)
  let phase = ''
  let upstream: Awaited<ReturnType<typeof startUpstream>>
  try {
    await checkTargetFile(values)
    upstream = await startUpstream(values.upstream, DEFAULT_UPSTREAM_HOST)
    const response = await probeTarget(values, {
      signal: handleSignals(),
      onEstimate: (requests, run) => {
        phase = `${RUNS[run - 1] ?? ''}: at most ${requests} requests`
        status.show(phase)
      },
      onProgress: ({ done, total }) => status.show(phase, ` · ${done} of ${total} checks`),
    }).finally(() => status.clear())
    if ('problem' in response) {
      process.stderr.write(`${makePrintable(replaceCommandNames(response.problem))}\n`)
      process.exitCode = EXIT_CODES.incomplete
    } else if (values.json === true) {
      process.stdout.write(serializeDocument(response.draft))
    } else {
      await tryToWrite('target file', async () => {
        process.stdout.write(makePrintable(await saveTargetFile(response, values)))
      })
    }
  } catch (error) {
    const usage = describeUsageError(error)
    if (usage !== undefined) command.error(usage)
    throw error
  } finally {
    await upstream?.close()
  }
}
