import { TOKEN_HEADER } from '../control/access-control.ts'
import { readDecision, type Decisions } from './unspecified-behaviour/decisions.ts'
import { FAULT_OPTIONS } from './fault-options.ts'
import { FIXTURE_OPTIONS } from './fixture-options.ts'
import type { EmulatorOptions } from '../start-emulator.ts'
import { parseRequestLogLimits } from './parse-request-log-bounds.ts'
import { frozenClock, realClock, virtualClock } from '../state/clock.ts'
import { parseRateLimit, type RateLimit } from '../state/limits/rate-limit.ts'
import { parseLatency } from './parse-latency.ts'

/**
 * A setting as it can be written in a flag, the environment or a config file. `read` takes a text or, from a file, the JSON
 * value, and gives the option or one sentence that says what would be right.
 */
export interface OptionReader {
  /** How it stands on the command line, e.g. `--port <number>`. */
  readonly flag: string
  readonly about: string
  /** True when the flag may be given several times; `read` then takes a list of texts. */
  readonly isRepeatable?: true
  read(value: unknown): EmulatorOptions | string
}

/** Every setting by its name in a config file; the environment has it as `TOUCHSTONE_EMULATOR_<NAME>`. */
export const OPTION_READERS: Readonly<Record<string, OptionReader>> = {
  port: {
    flag: '--port <number>',
    about: 'port to listen on; 0 takes any free one (default: 8080)',
    read: (value) => integer(value, 65_535, (port) => ({ port })),
  },
  host: {
    flag: '--host <address>',
    about: 'address to listen on (default: 127.0.0.1)',
    read: (value) =>
      typeof value === 'string' && value !== '' ? { host: value } : 'It must be a host name or address.',
  },
  seed: {
    flag: '--seed <integer>',
    about: 'same seed, same answers (default: 1)',
    read: (value) => integer(value, Number.MAX_SAFE_INTEGER, (seed) => ({ seed })),
  },
  clock: {
    flag: '--clock <clock>',
    about: 'real, frozen:<Unix seconds> for identical `created`, or virtual: stands until it is told (default: real)',
    read: readClock,
  },
  answerTokens: {
    flag: '--answer-tokens <length>',
    about: 'natural, fill (up to max_tokens) or a number of tokens (default: natural)',
    read: readAnswerTokens,
  },
  latency: {
    flag: '--latency <profile>',
    about:
      'instant, fast, typical, slow, reasoner, or parts such as ttft=100ms,gap=20ms, or both: typical,images=2s,speech=1s,o3-mini.ttft=1s..4s (default: instant)',
    read: (value) => {
      const latency = parseLatency(value)
      return typeof latency === 'string' ? latency : { latency }
    },
  },
  publicUrl: {
    flag: '--public-url <url>',
    about: 'base address for image URLs (default: the one the client used)',
    read: (value) => {
      const isUrl = /^https?:$/.test(URL.parse(String(value))?.protocol ?? '')
      return isUrl ? { publicUrl: String(value).replace(/\/+$/, '') } : 'It must be an http or https URL.'
    },
  },
  journal: {
    flag: '--journal <bounds>',
    about: 'what the journal keeps at most, e.g. entries=10000,bytes=16777216,bodies=0,digests=0',
    read: (value) => {
      const journal = parseRequestLogLimits(value)
      return typeof journal === 'string' ? journal : { journal }
    },
  },
  controlToken: {
    flag: '--control-token <token>',
    about: `what control requests must bring in the header ${TOKEN_HEADER} (default: none is needed)`,
    read: (value) =>
      typeof value === 'string' && /^[!-~]{8,200}$/.test(value)
        ? { controlToken: value }
        : 'It must be 8 to 200 characters of ASCII without spaces.',
  },
  limitedRate: {
    flag: '--limited-rate <limit>',
    about: 'rate limit of the account "limited" (default: requestsPerMinute=60,burst=5)',
    read: (value) => rate(value, (limitedRate) => ({ limitedRate })),
  },
  createdRate: {
    flag: '--created-rate <limit>',
    about: 'of created accounts that name none, e.g. tokensPerMinute=9000,algorithm=sliding-window (default: none)',
    read: (value) => rate(value, (createdRate) => ({ createdRate })),
  },
  decisions: {
    flag: '--decide <id=choice>',
    about: 'what to do where the document is silent, e.g. error-body=detail; see emulator/decisions.md',
    isRepeatable: true,
    read: readDecisions,
  },
  ...FAULT_OPTIONS,
  ...FIXTURE_OPTIONS,
}

/**
 * Reads settings by name, the later ones on top of the earlier.
 * @returns the options, or one sentence that names the setting and says what would be right
 */
export function readOptions(values: Iterable<readonly [name: string, value: unknown]>): EmulatorOptions | string {
  let options: EmulatorOptions = {}
  for (const [name, value] of values) {
    const reader = Object.hasOwn(OPTION_READERS, name) ? OPTION_READERS[name] : undefined
    if (reader === undefined) {
      return `There is no setting '${name}'; there are ${Object.keys(OPTION_READERS).join(', ')}.`
    }
    const read = reader.read(value)
    if (typeof read === 'string') return `The setting '${name}' cannot be ${show(value)}. ${read}`
    options = { ...options, ...read, ...joined(options, read) }
  }
  return options
}

/** A value as a sentence can have it, whatever a program gave. */
function show(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    return typeof value
  }
}

/** What several settings give together. */
function joined(before: EmulatorOptions, read: EmulatorOptions): EmulatorOptions {
  const { decisions, faults } = read
  return {
    ...(decisions === undefined ? {} : { decisions: { ...before.decisions, ...decisions } }),
    ...(faults === undefined ? {} : { faults: [...(before.faults ?? []), ...faults] }),
  }
}

function integer(value: unknown, most: number, make: (number: number) => EmulatorOptions): EmulatorOptions | string {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  const isWithin = typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= most
  return isWithin ? make(number) : `It must be an integer from 0 to ${most}.`
}

function rate(value: unknown, make: (rateLimit: RateLimit) => EmulatorOptions): EmulatorOptions | string {
  const rateLimit = parseRateLimit(value)
  return typeof rateLimit === 'string' ? rateLimit : make(rateLimit)
}

function readClock(value: unknown): EmulatorOptions | string {
  // Always a clock, so that a later setting takes the place of an earlier one of whatever kind.
  if (value === 'real') return { clock: realClock() }
  const [, kind, seconds] = /^(frozen|virtual)(?::(\d{1,10}))?$/.exec(String(value)) ?? []
  if (kind === 'virtual') return { clock: virtualClock(seconds === undefined ? undefined : Number(seconds)) }
  if (seconds === undefined) return 'It must be real, frozen:<Unix seconds>, virtual or virtual:<Unix seconds>.'
  return { clock: frozenClock(Number(seconds)) }
}

function readAnswerTokens(value: unknown): EmulatorOptions | string {
  if (value === 'natural' || value === 'fill') return { answerTokens: value }
  if (/^[1-9]\d{0,8}$/.test(String(value))) return { answerTokens: Number(value) }
  return 'It must be natural, fill or a number of tokens.'
}

/** From a list of `id=choice`, a text with such parts between commas, or an object. */
function readDecisions(value: unknown): EmulatorOptions | string {
  const parts: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  const pairs: [string, unknown][] =
    parts.length > 0
      ? parts.map((part) => {
          const [id = '', ...choice] = String(part).split('=')
          return [id.trim(), choice.join('=')]
        })
      : Object.entries(value ?? {})
  let decisions: Partial<Decisions> = {}
  for (const [id, choice] of pairs) {
    const decision = readDecision(id, choice)
    if (typeof decision === 'string') return decision
    decisions = { ...decisions, ...decision }
  }
  return { decisions }
}
