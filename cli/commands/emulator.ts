import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { hideUrlSecrets } from '../../common/secrets/secret-values.ts'
import { type Emulator, type EmulatorOptions, OPTION_TABLE, startEmulator } from '../../emulator/start-emulator.ts'
import { handleSignals } from '../handle-signals.ts'
import { describeStartError, describeUnusedOptions } from '../messages/emulator-messages.ts'
import { addTextOptions } from '../options/add-options.ts'
import { addLayeredHelp } from '../options/layered-help.ts'
import type { OptionTable } from '../../common/options/option-table.ts'
import { readEmulatorOptions } from '../read-emulator-options.ts'
import { CommandLineError } from '../command-line-error.ts'
import { restoreDefaultFlags } from '../startup-flags.ts'

/** Time after a signal within which responses in progress may end. */
const DRAIN_LIMIT_MS = 1000
/** Time after a signal until the process exits even if recordings are incomplete. */
const MAX_STOP_MS = 1500

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
  addTextOptions(command, EMULATOR_COMMAND_TABLE).action(run)
  addLayeredHelp(command, EMULATOR_COMMAND_TABLE, { common: COMMON, examples: EXAMPLES })
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

export const EMULATOR_COMMAND_TABLE = { ...CONFIG_TABLE, ...OPTION_TABLE } as const satisfies OptionTable

const COMMON = [
  'config',
  'port',
  'host',
  'seed',
  'clock',
  'answerTokens',
  'latency',
  'slots',
  'models',
  'options',
  'fixtures',
  'record',
] as const

const EXAMPLES = `
Examples:
  touchstone emulator --port 8099
  touchstone emulator --latency ttft=200ms..900ms,itl=20ms
  touchstone emulator --latency typical,images=1s,o3-mini.ttft=2s..9s
  touchstone emulator --option error-body=detail --option line-ends=crlf
  touchstone emulator --seed 7 --clock frozen:1750000000
  curl http://127.0.0.1:8080/v1/models -H 'Authorization: Bearer sk-svc-touchstone-funded'

Each option can also come from the environment or a config file; a flag overrides the environment, which overrides the config file.
Stop the emulator with Ctrl-C, SIGTERM or SIGHUP. The emulator first waits up to a second for requests in progress.
`

async function run(flags: Readonly<Record<string, unknown>>, command: Command): Promise<void> {
  const { emulator, options } = await start(flags).catch((error: unknown) => {
    if (error instanceof CommandLineError) command.error(error.message)
    throw error
  })
  restoreDefaultFlags()
  // Handles signals before the ready message is printed, because a script may send a signal as soon as it reads that
  // message.
  const stopped = once(handleSignals(), 'abort')
  const { funded, noCredits, small, limited } = emulator.keys
  process.stdout.write(
    `touchstone emulator ready at ${emulator.url}${describeExposure(options)} · keys: ${funded}, ${noCredits} (no credits), ${small} (1 credit), ${limited} (rate limit)${describeAdditions(options)}\n`,
  )
  await stopped
  setTimeout(() => process.exit(0), MAX_STOP_MS).unref()
  await emulator.close()
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
  const emulator = await startEmulator({ drainLimitMs: DRAIN_LIMIT_MS, ...options }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandLineError(describeStartError(error, options, placeOf))
    },
  )
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

/** Warns if other machines can reach the emulator, and therefore control it. The container image listens on all addresses. */
function describeExposure({ host = OPTION_TABLE.host.default, controlToken }: EmulatorOptions): string {
  const isLoopback = /^(?:localhost$|127\.|::1$)/.test(host)
  return isLoopback || controlToken !== undefined
    ? ''
    : ' (other machines can reach it and control it: set --control-token)'
}

function describeAdditions({ accounts = [], models = [], record, recordDir }: EmulatorOptions): string {
  const additions = [
    ...(accounts.length === 0 ? [] : [`accounts added: ${accounts.length}`]),
    ...(models.length === 0 ? [] : [`models added: ${models.map(({ id }) => id).join(', ')}`]),
    ...(record === undefined
      ? []
      : [`records ${hideUrlSecrets(record)} in ${recordDir ?? OPTION_TABLE.recordDir.default}`]),
  ]
  return additions.map((addition) => ` · ${addition}`).join('')
}
