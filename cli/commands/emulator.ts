import { readdirSync, statSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { type Emulator, type EmulatorOptions, OPTION_TABLE, startEmulator } from '../../emulator/start-emulator.ts'
import { describeStartError, describeUnusedOptions } from '../messages/emulator-messages.ts'
import { addTextOptions } from '../options/add-options.ts'
import type { OptionTable } from '../options/option-table.ts'
import { readEmulatorOptions } from '../read-emulator-options.ts'
import { CommandLineError } from '../command-line-error.ts'
import { restoreDefaultFlags } from '../startup-flags.ts'

/** Time after the first SIGINT or SIGTERM until the process exits even if responses are in flight. */
const DRAIN_LIMIT_MS = 10_000

/**
 * V8 flag that starts a garbage collection when the heap has doubled since the last one. By default, the heap grows to
 * several times its live size. That is too much for a process that may run for days.
 */
const MEMORY_FLAG = '--heap-growing-percent=100'

export function registerEmulatorCommand(program: Command): void {
  const command = program
    .command('emulator')
    .summary('run the reference emulator')
    .description(
      'Serves every /v1 operation of the specification on this machine. Generates the responses and charges credits exactly.',
    )
  addTextOptions(command, EMULATOR_COMMAND_TABLE).addHelpText('after', EXAMPLES).action(run)
}

const CONFIG_TABLE = {
  config: {
    flag: '--config',
    placeholder: 'file',
    type: 'file',
    env: 'TOUCHSTONE_EMULATOR_CONFIG',
    description: 'JSON file with options',
    example: '{"answerTokens": "fill"}',
  },
} as const satisfies OptionTable

export const EMULATOR_COMMAND_TABLE: OptionTable = { ...CONFIG_TABLE, ...OPTION_TABLE }

const EXAMPLES = `
Examples:
  touchstone emulator --port 8099
  touchstone emulator --latency ttft=200ms..900ms,itl=20ms
  touchstone emulator --latency typical,images=1s,o3-mini.ttft=2s..9s
  touchstone emulator --option error-body=detail --option line-ends=crlf
  touchstone emulator --seed 7 --clock frozen:1750000000
  curl http://127.0.0.1:8080/v1/models -H 'Authorization: Bearer sk-svc-touchstone-funded'

Each option can also come from the environment or a config file; a flag overrides the environment, which overrides the config file.
Stop the emulator with Ctrl-C or SIGTERM. The emulator first waits up to ten seconds for requests in progress.
`

async function run(flags: Readonly<Record<string, unknown>>, command: Command): Promise<void> {
  const { emulator, options } = await start(flags).catch((error: unknown) => {
    if (error instanceof CommandLineError) command.error(error.message)
    throw error
  })
  restoreDefaultFlags()
  // Handles signals before the ready message is printed, because a script may send a signal as soon as it reads that
  // message.
  const stopped = stopOnSignal(emulator)
  const { funded, noCredits, small, limited } = emulator.keys
  process.stdout.write(
    `touchstone emulator ready at ${emulator.url} · keys: ${funded}, ${noCredits} (no credits), ${small} (1 credit), ${limited} (rate limit)${describeAdditions(options)}\n`,
  )
  await stopped
}

/**
 * Starts the emulator with options from flags, environment variables and the config file.
 * @throws CommandLineError if an option is invalid or the server cannot start
 */
async function start(
  flags: Readonly<Record<string, unknown>>,
): Promise<{ emulator: Emulator; options: EmulatorOptions }> {
  const { options, placeOf } = readEmulatorOptions(flags, process.env)
  setFlagsFromString(MEMORY_FLAG)
  // Imported dynamically, because an emulator without an upstream starts faster without this module.
  if (options.record !== undefined) (await import('../use-proxy.ts')).useProxy(options.record)
  const emulator = await startEmulator(options).catch((error: NodeJS.ErrnoException) => {
    throw new CommandLineError(describeStartError(error, options, placeOf))
  })
  for (const warning of describeUnusedOptions(options, placeOf)) process.stderr.write(`${warning}\n`)
  for (const option of ['fixtures', 'replay'] as const) {
    const path = options[option]
    if (typeof path === 'string' && isFolderWithoutJson(path))
      process.stderr.write(`Warning: the directory ${path} of ${placeOf(option)} contains no .json file.\n`)
  }
  return { emulator, options }
}

function isFolderWithoutJson(path: string): boolean {
  return statSync(path).isDirectory() && !readdirSync(path).some((name) => name.endsWith('.json'))
}

function describeAdditions({ accounts = [], models = [], record, recordDir }: EmulatorOptions): string {
  const additions = [
    ...(accounts.length === 0 ? [] : [`accounts added: ${accounts.length}`]),
    ...(models.length === 0 ? [] : [`models added: ${models.map(({ id }) => id).join(', ')}`]),
    ...(record === undefined ? [] : [`records ${record} in ${recordDir ?? OPTION_TABLE.recordDir.default}`]),
  ]
  return additions.map((addition) => ` · ${addition}`).join('')
}

function stopOnSignal(emulator: Emulator): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once('SIGINT', () => process.exit(130)) // A second Ctrl-C exits immediately.
      setTimeout(() => process.exit(0), DRAIN_LIMIT_MS).unref()
      void emulator.close().then(resolve)
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
}
