import { InvalidArgumentError, type Command } from 'commander'
import {
  parseLatency,
  startEmulator,
  type AnswerTokens,
  type Emulator,
  type EmulatorOptions,
  type LatencyProfile,
} from '../../emulator/start-emulator.ts'

/** After SIGTERM, answers under way have this long to end. */
const DRAIN_LIMIT_MS = 10_000

interface Flags {
  readonly port: number
  readonly host: string
  readonly seed: number
  readonly clock: Pick<EmulatorOptions, 'frozenAtUnixSeconds'>
  readonly answerTokens: AnswerTokens
  readonly latency?: LatencyProfile
  readonly publicUrl?: string
}

/** Adds `touchstone emulator`. */
export function register(program: Command): void {
  program
    .command('emulator')
    .summary('run the reference emulator')
    .description('Serves every /v1 operation of the document with made-up answers, real accounting and no network.')
    .option('--port <number>', 'port to listen on; 0 takes any free one', parsePort, 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--seed <integer>', 'same seed, same answers', parseSeed, 1)
    .option('--clock <clock>', 'real, or frozen:<Unix seconds> for identical `created`', parseClock, {})
    .option('--answer-tokens <length>', 'natural, fill (up to max_tokens) or a number', parseAnswerTokens, 'natural')
    .option('--latency <profile>', 'instant, fast, typical, slow, reasoner, or e.g. ttft=100ms,gap=20ms', readLatency)
    .option('--public-url <url>', 'base address for image URLs; default: the one the client used', parsePublicUrl)
    .addHelpText('after', EXAMPLES)
    .action(run)
}

const EXAMPLES = `
Examples:
  touchstone emulator --port 8099
  touchstone emulator --latency ttft=200ms..900ms,gap=20ms
  touchstone emulator --seed 7 --clock frozen:1750000000
  curl http://127.0.0.1:8080/v1/models -H 'Authorization: Bearer sk-svc-touchstone-funded'

Stop it with Ctrl-C or SIGTERM: answers under way are finished first.
`

async function run(flags: Flags, command: Command): Promise<void> {
  const { clock, ...settings } = flags
  const emulator = await startEmulator({ ...settings, ...clock }).catch((error: NodeJS.ErrnoException) => {
    command.error(`error: ${explain(error, flags)}`, { exitCode: 2 })
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

function explain(error: NodeJS.ErrnoException, { port, host }: Flags): string {
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

function parsePort(text: string): number {
  return parseInteger(text, 0, 65_535)
}

function parseSeed(text: string): number {
  return parseInteger(text, 0, Number.MAX_SAFE_INTEGER)
}

function parseInteger(text: string, lowest: number, highest: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= lowest && value <= highest) return value
  throw new InvalidArgumentError(`It must be an integer from ${lowest} to ${highest}.`)
}

function parseClock(text: string): Flags['clock'] {
  if (text === 'real') return {}
  const [, seconds] = /^frozen:(\d{1,10})$/.exec(text) ?? []
  if (seconds === undefined) throw new InvalidArgumentError('It must be real or frozen:<Unix seconds>.')
  return { frozenAtUnixSeconds: Number(seconds) }
}

function parseAnswerTokens(text: string): AnswerTokens {
  if (text === 'natural' || text === 'fill') return text
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be natural, fill or a number of tokens.')
}

function readLatency(text: string): LatencyProfile {
  const latency = parseLatency(text)
  if (typeof latency === 'string') throw new InvalidArgumentError(latency)
  return latency
}

function parsePublicUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new InvalidArgumentError('It must be an http or https URL.')
  }
  return text.replace(/\/+$/, '')
}
