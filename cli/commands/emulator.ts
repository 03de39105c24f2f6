import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { SettingFault, startEmulator, type Emulator, type EmulatorOptions } from '../../emulator/start-emulator.ts'
import { addEmulatorFlags, emulatorOptions } from '../emulator-options.ts'

/** After SIGTERM, answers under way have this long to end. */
const DRAIN_LIMIT_MS = 10_000

/**
 * V8 by itself lets garbage grow to several times what is in use before it looks for it, and the process with it. This one
 * runs for days beside what is tested, so it looks when there is as much again.
 */
const MEMORY_FLAG = '--heap-growing-percent=100'

/** Adds `touchstone emulator`. */
export function register(program: Command): void {
  const command = program
    .command('emulator')
    .summary('run the reference emulator')
    .description('Serves every /v1 operation of the document with made-up answers, real accounting and no network.')
  addEmulatorFlags(command).addHelpText('after', EXAMPLES).action(run)
}

const EXAMPLES = `
Examples:
  touchstone emulator --port 8099
  touchstone emulator --latency ttft=200ms..900ms,gap=20ms
  touchstone emulator --latency typical,images=1s,o3-mini.ttft=2s..9s
  touchstone emulator --decide error-body=detail --decide line-ends=crlf
  touchstone emulator --seed 7 --clock frozen:1750000000
  curl http://127.0.0.1:8080/v1/models -H 'Authorization: Bearer sk-svc-touchstone-funded'

Each setting can also come from the environment (TOUCHSTONE_EMULATOR_PORT=8099) or a config file; flags come first.
Stop it with Ctrl-C or SIGTERM: answers under way are finished first.
`

async function run(flags: Record<string, unknown>, command: Command): Promise<void> {
  const options = emulatorOptions(flags, process.env)
  if (typeof options === 'string') command.error(`error: ${options}`, { exitCode: 2 })
  setFlagsFromString(MEMORY_FLAG)
  const emulator = await startEmulator(options).catch((error: NodeJS.ErrnoException) => {
    command.error(`error: ${explain(error, options)}`, { exitCode: 2 })
  })
  const { funded, empty, small, limited } = emulator.keys
  process.stdout.write(
    `touchstone emulator ready at ${emulator.url} · keys: ${funded}, ${empty} (no credits), ${small} (1 credit), ${limited} (rate limit)\n`,
  )
  await stopOnSignal(emulator)
}

function stopOnSignal(emulator: Emulator): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once('SIGINT', () => process.exit(130)) // whoever asks twice does not want to wait
      setTimeout(() => process.exit(0), DRAIN_LIMIT_MS).unref()
      void emulator.close().then(resolve)
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
}

function explain(error: NodeJS.ErrnoException, { port, host = '127.0.0.1' }: EmulatorOptions): string {
  if (error instanceof SettingFault) return error.message
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} is in use on ${host}. Choose another with --port, or --port 0 for any free one.`
    case 'EACCES':
      return `this user may not listen on port ${port}. Choose one above 1023 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host}. Use --host 127.0.0.1, or 0.0.0.0 for all addresses.`
    default:
      return `the emulator cannot listen on ${host}:${port} (${error.code ?? error.message}).`
  }
}
