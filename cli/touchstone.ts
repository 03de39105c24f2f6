import { Command, CommanderError } from 'commander'
import { EXIT_CODES } from '../common/exit-codes.ts'
import { makePrintable } from '../common/printable-text.ts'
import { findDocumentation } from './find-documentation.ts'
import { findNpmFlag } from './find-npm-flag.ts'
import { replaceCommandNames } from './format-command.ts'
import { failAtExit, handleUncaughtErrors, reportInternalError } from './internal-error.ts'
import { formatUsageError } from './format-usage-error.ts'
import { followNpm, isInterrupted } from './handle-signals.ts'
import { setStartupFlags } from './startup-flags.ts'
import { TOOL_VERSION } from './version.ts'
import { wrapHelp } from './wrap-text.ts'

/**
 * Loaders of the commands, keyed by name. Only the requested command is imported, so that the emulator starts quickly.
 */
const COMMANDS = new Map([
  ['emulator', async () => (await import('./commands/emulator.ts')).registerEmulatorCommand],
  ['conformance', async () => (await import('./commands/conformance.ts')).registerConformanceCommand],
  ['load', async () => (await import('./commands/load.ts')).registerLoadCommand],
  ['prove', async () => (await import('./commands/prove.ts')).registerProveCommand],
  ['report', async () => (await import('./commands/report.ts')).registerReportCommand],
  ['init', async () => (await import('./commands/init.ts')).registerInitCommand],
  ['doctor', async () => (await import('./commands/doctor.ts')).registerDoctorCommand],
])

handleUncaughtErrors()

// Whether output was lost, for example because the disk is full. The run continues, but exits with 4 unless it
// fails anyway. A closed pipe, as after `head`, does not count.
let isOutputLost = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || isOutputLost) return
  isOutputLost = true
  process.stderr.write(`The output could not be written (${error.code ?? error.message}).\n`)
  failAtExit()
})

function describeDocumentation(): string {
  const path = findDocumentation()
  return path === undefined ? '' : `Documentation: ${path}\n`
}

const program = new Command('touchstone')
  .description('Conformance suite, load tests and reference emulator for an inference API.')
  .version(TOOL_VERSION)
  // Assigns options after a subcommand to that subcommand, because `report` and `report compare` both have --out.
  .enablePositionalOptions()
  .addHelpText(
    'after',
    () => `
Examples:
  touchstone conformance
  touchstone conformance --target https://api.example.com --key "$KEY"
  touchstone load --target https://api.example.com --key "$KEY" --budget 'ttft.p99<=800ms'
  touchstone emulator --port 8080
  touchstone init --target https://api.example.com --key "$KEY"
  touchstone doctor

For the options of a command: touchstone conformance --help
${describeDocumentation()}`,
  )

/** Returns the full name of a command, such as `touchstone report matrix`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function listFlags({ options }: Command): string[] {
  return options.flatMap(({ long }) => long ?? [])
}

followNpm()
setStartupFlags(process.argv[2])
const requested = COMMANDS.get(process.argv[2] ?? '')
for (const load of requested === undefined ? COMMANDS.values() : [requested]) {
  const register = await load()
  register(program)
}
for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
  // A list of commands shows their names without arguments, so that the descriptions have room.
  command.configureHelp({ minWidthToWrap: 20, subcommandTerm: (one) => one.name() })
  command.exitOverride().configureOutput({
    writeOut: (text) => void process.stdout.write(wrapHelp(replaceCommandNames(text))),
    outputError: (text, write) =>
      write(
        makePrintable(
          replaceCommandNames(
            formatUsageError(text, {
              path: pathOf(command),
              args: command.args,
              flags: listFlags(command),
              commands: command === program ? [...COMMANDS.keys()] : command.commands.map((one) => one.name()),
            }),
          ),
        ),
      ),
  })
}

try {
  const [, , command, topic] = process.argv
  // For an unknown command, commander would print the help of the program and exit with 0.
  if (command === 'help' && topic !== undefined && !COMMANDS.has(topic)) program.error(`unknown command '${topic}'`)
  if (command !== undefined && requested !== undefined) {
    const flags = program.commands.flatMap((one) => [one, ...one.commands]).flatMap(listFlags)
    const flag = findNpmFlag({ command, flags, args: process.argv.slice(3), environment: process.env })
    if (flag !== undefined) {
      program.error(
        `The separator -- is missing, so npm read ${flag} itself: write npm run ${command} -- ${flag} and the other options`,
      )
    }
  }
  await program.parseAsync()
  // Work that is still being cancelled must not delay the exit.
  if (isInterrupted()) process.exit()
} catch (error) {
  // Requested help, and the version, exit with 0. Every other error of commander is a usage error, also a missing
  // command, for which commander prints the help. A script with an empty command must not pass.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.usage
  else reportInternalError(error)
}
