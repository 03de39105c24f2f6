import { OPTIONAL_PARTS } from './optional-parts.ts'

/** An option of a run, as plain data. The command line uses the same table. */
interface OptionRow {
  readonly flag: string
  readonly aliases?: readonly string[]
  readonly placeholder?: string
  readonly type:
    | 'string'
    | 'url'
    | 'boolean'
    | 'integer'
    | 'number'
    | 'choice'
    | 'choices'
    | 'certificates'
    | 'known-failures'
  /** Minimum of a number, inclusive. */
  readonly min?: number
  readonly choices?: readonly string[]
  readonly repeatable?: true
  readonly env?: string
  readonly default?: string | number | boolean
  /** Description of the default. Set only if the default is not a constant. */
  readonly defaultText?: string
  readonly description: string
  readonly example?: string
}

/**
 * Options of a run, by their name in `ConformanceOptions`. A dot separates the name of a nested option. Types, flags,
 * environment variables and the reference page (docs/options.md) are derived from this table.
 */
export const OPTION_TABLE = {
  url: {
    flag: '--target',
    placeholder: 'url',
    type: 'string',
    env: 'TOUCHSTONE_TARGET',
    defaultText: 'the built-in emulator, if no key is given',
    description:
      'base address, with or without /v1; a target file, whose name ends in .json; or "emulator" for the built-in one',
  },
  'keys.funded': {
    flag: '--key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY',
    description: 'key of an account with credits',
  },
  'keys.noCredits': {
    flag: '--no-credits-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_NO_CREDITS',
    description: 'key of an account without credits',
  },
  'keys.limited': {
    flag: '--limited-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_LIMITED',
    description: 'key with a tight rate limit; the run exceeds it on purpose',
  },
  'keys.small': {
    flag: '--small-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_SMALL',
    description: 'key of an account with few credits; the run uses them up',
  },
  'declarations.smallBalance': {
    flag: '--small-balance',
    placeholder: 'credits',
    type: 'number',
    min: 0,
    description: 'credits of the account of --small-key',
    example: '2.5',
  },
  limitedBurst: {
    flag: '--limited-burst',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 20,
    description: 'parallel requests that exceed the rate limit of --limited-key',
  },
  burst: {
    flag: '--burst',
    type: 'boolean',
    default: false,
    description: 'allows requests that exceed a rate limit on purpose',
  },
  baseUrl: {
    flag: '--base-url',
    placeholder: 'url',
    type: 'url',
    defaultText: 'the address of --target',
    description: 'the {base_url} of the specification, if clients reach the target at another address than --target',
  },
  headers: {
    flag: '--header',
    placeholder: 'line',
    type: 'string',
    repeatable: true,
    description: 'header of every request',
    example: "'Name: value'",
  },
  ca: {
    flag: '--ca',
    placeholder: 'file',
    type: 'certificates',
    defaultText: 'those of the system',
    description: 'certificate authorities to trust, as a PEM file',
  },
  insecure: {
    flag: '--insecure',
    type: 'boolean',
    default: false,
    description: 'accepts any certificate',
  },
  without: {
    flag: '--without',
    placeholder: 'parts',
    type: 'choices',
    choices: OPTIONAL_PARTS,
    description: 'parts of the specification that the target does not offer; their checks are not planned',
    example: 'images,credits',
  },
  only: {
    flag: '--only',
    placeholder: 'checks',
    type: 'string',
    repeatable: true,
    description: 'runs only these checks: ids, sections (4.2) or names of sections and operations, separated by commas',
    example: '4.2,speech,5/no-header',
  },
  skip: {
    flag: '--skip',
    placeholder: 'checks',
    type: 'string',
    repeatable: true,
    description: 'skips these checks, in the same form as --only',
  },
  sdk: {
    flag: '--sdk',
    type: 'boolean',
    default: false,
    description: 'also calls the target with the openai SDK, and compares its results with the raw responses',
  },
  agents: {
    flag: '--agents',
    type: 'boolean',
    default: false,
    description:
      'also tests tools, tool calls and structured output; the result affects the verdict only with --strict',
  },
  budgets: {
    flag: '--budget',
    placeholder: 'budget',
    type: 'string',
    repeatable: true,
    description: 'latency threshold',
    example: "'chat-stream.ttft.p90<=800ms'",
  },
  samples: {
    flag: '--samples',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: 'as many as the budgets need',
    description: 'requests for each operation with a budget',
  },
  knownFailures: {
    flag: '--known-failing',
    placeholder: 'file',
    type: 'known-failures',
    description: 'checks that are known to fail, with reasons',
  },
  strict: {
    flag: '--strict',
    type: 'boolean',
    default: false,
    description: 'a warning makes the target non-conformant',
  },
  maxFlakes: {
    flag: '--max-flakes',
    placeholder: 'percent',
    type: 'number',
    min: 0,
    defaultText: '2, if at least three requests broke down',
    description: 'share of requests that may break down once and succeed when repeated',
    example: '0.5',
  },
  acceptIncomplete: {
    flag: '--accept-incomplete',
    type: 'boolean',
    default: false,
    description: 'exits with 0 even if some checks could not run',
  },
  maxRequests: {
    flag: '--max-requests',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: 'no limit',
    description: 'upper bound of requests',
  },
  maxCredits: {
    flag: '--max-credits',
    placeholder: 'n',
    type: 'number',
    min: 0,
    defaultText: 'no limit',
    description: 'spend limit in credits; each request counts with its upper bound',
  },
  timeoutMs: {
    flag: '--timeout-ms',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 120_000,
    description:
      'maximum deadline of a request, in milliseconds; the run adapts the deadline to the duration of the responses',
  },
  maxSeconds: {
    flag: '--max-seconds',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: '600, or twice the expected duration',
    description: 'time limit of the run; checks that have not run by then are not testable',
  },
  rate: {
    flag: '--rate',
    placeholder: 'rate',
    type: 'string',
    defaultText: 'as fast as the target allows',
    description: 'maximum number of requests per second, minute or hour',
    example: '1/s',
  },
  concurrency: {
    flag: '--concurrency',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 20,
    description: 'checks that run at the same time',
  },
  runner: {
    flag: '--runner',
    aliases: ['--front'],
    placeholder: 'name',
    type: 'choice',
    choices: ['direct', 'vitest'],
    default: 'direct',
    description: 'program that runs the checks',
  },
} as const satisfies Readonly<Record<string, OptionRow>>
