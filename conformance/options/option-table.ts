import { OPTIONAL_PARTS } from './optional-parts.ts'

/** An option of a run, as plain data. The command line uses the same table. */
interface OptionRow {
  readonly flag: string
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
    description: 'base URL, with or without /v1; or a target file (.json); or "emulator" for the built-in emulator',
  },
  'keys.funded': {
    flag: '--key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY',
    description: 'API key of an account with credits',
  },
  'keys.noCredits': {
    flag: '--no-credits-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_NO_CREDITS',
    description: 'API key of an account without credits',
  },
  'keys.limited': {
    flag: '--limited-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_LIMITED',
    description: 'API key with a low rate limit, which the run exceeds on purpose',
  },
  'keys.small': {
    flag: '--small-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_SMALL',
    description: 'API key of an account with few credits, which the run spends',
  },
  'declarations.smallBalance': {
    flag: '--small-balance',
    placeholder: 'credits',
    type: 'number',
    min: 0,
    description: 'balance of the account that --small-key belongs to',
    example: '2.5',
  },
  limitedBurst: {
    flag: '--limited-burst',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 20,
    description: 'number of parallel requests that the suite sends to exceed the rate limit of --limited-key',
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
    description:
      'address that clients use for the target, if it differs from --target; the {base_url} of the specification',
  },
  headers: {
    flag: '--header',
    placeholder: 'line',
    type: 'string',
    repeatable: true,
    description: 'header to add to every request',
    example: "'Name: value'",
  },
  ca: {
    flag: '--ca',
    placeholder: 'file',
    type: 'certificates',
    defaultText: 'the authorities of the system',
    description: 'PEM file of the certificate authorities to trust',
  },
  insecure: {
    flag: '--insecure',
    type: 'boolean',
    default: false,
    description: 'accepts any TLS certificate',
  },
  without: {
    flag: '--without',
    placeholder: 'parts',
    type: 'choices',
    choices: OPTIONAL_PARTS,
    description: 'parts of the specification that the target does not offer; the run omits their checks',
    example: 'images,credits',
  },
  only: {
    flag: '--only',
    placeholder: 'checks',
    type: 'string',
    repeatable: true,
    description:
      'runs only these checks; takes IDs, section numbers (4.2), names of sections or operations, and agents or sdk, separated by commas',
    example: '4.2,speech,5/no-header',
  },
  skip: {
    flag: '--skip',
    placeholder: 'checks',
    type: 'string',
    repeatable: true,
    description: 'skips these checks; takes the same values as --only',
  },
  sdk: {
    flag: '--sdk',
    type: 'boolean',
    default: false,
    description: 'also sends requests with the openai SDK, and compares its results with the raw responses',
  },
  agents: {
    flag: '--agents',
    type: 'boolean',
    default: false,
    description: 'also tests tool calls and structured output; the results affect the verdict only with --strict',
  },
  budgets: {
    flag: '--budget',
    placeholder: 'budget',
    type: 'string',
    repeatable: true,
    description: 'latency budget: an upper limit for a percentile, measured without load',
    example: "'chat-stream.ttft.p90<=800ms'",
  },
  samples: {
    flag: '--samples',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: 'as many as the budgets need',
    description: 'number of requests for each operation that has a budget',
  },
  knownFailures: {
    flag: '--known-failing',
    placeholder: 'file',
    type: 'known-failures',
    description: 'JSON file of the checks that are known to fail, each with a reason',
  },
  strict: {
    flag: '--strict',
    type: 'boolean',
    default: false,
    description: 'treats warnings as failures',
  },
  maxFlakes: {
    flag: '--max-flakes',
    placeholder: 'percent',
    type: 'number',
    min: 0,
    defaultText: '2; fewer than three flakes never fail a run',
    description: 'maximum share of flakes: requests that fail once and succeed when repeated',
    example: '0.5',
  },
  acceptIncomplete: {
    flag: '--accept-incomplete',
    type: 'boolean',
    default: false,
    description: 'exits with 0 instead of 3 if some checks could not run',
  },
  maxRequests: {
    flag: '--max-requests',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: 'no limit',
    description: 'maximum number of requests',
  },
  maxCredits: {
    flag: '--max-credits',
    placeholder: 'n',
    type: 'number',
    min: 0,
    defaultText: 'no limit',
    description: 'spend limit in credits; each request counts with its maximum cost',
  },
  timeoutMs: {
    flag: '--timeout-ms',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 120_000,
    description:
      'maximum time to wait for a response, in milliseconds; the run waits less if the target usually responds faster',
  },
  maxSeconds: {
    flag: '--max-seconds',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: '600, or more if the run is expected to take longer',
    description: 'time limit of the run, in seconds; checks that have not run by then are not testable',
  },
  rate: {
    flag: '--rate',
    placeholder: 'rate',
    type: 'string',
    defaultText: 'as fast as the rate limit of the target allows',
    description: 'maximum rate at which the suite sends requests, per second (s), minute (min) or hour (h)',
    example: '1/s',
  },
  concurrency: {
    flag: '--concurrency',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 20,
    description: 'number of checks that run at the same time',
  },
  runner: {
    flag: '--runner',
    placeholder: 'name',
    type: 'choice',
    choices: ['direct', 'vitest'],
    default: 'direct',
    description: 'program that runs the checks and prints their results',
  },
} as const satisfies Readonly<Record<string, OptionRow>>
