/** One option of a load run, as plain data. The rows are compatible with `OptionRow` of the command line. */
interface OptionRow {
  readonly flag: string
  readonly placeholder?: string
  /**
   * Name of the value's type, as a key of `OptionTypes` (option-values.ts) and of `OPTION_READERS`
   * (load/options/option-readers.ts).
   */
  readonly type: string
  /** Lower bound of an integer, inclusive. */
  readonly min?: number
  readonly choices?: readonly string[]
  readonly repeatable?: true
  readonly env?: string
  readonly default?: string | number | boolean
  /** The default in words, if it is not a constant. */
  readonly defaultText?: string
  readonly description: string
  readonly example?: string
  /** Whether the k6 script receives the value as a setting of the same name (`LoadSettings`). */
  readonly isSetting?: true
}

/**
 * All options, keyed by their name in `LoadOptions`. The types, defaults, flags, environment variables, settings of the
 * k6 scripts and the reference page (docs/options.md) are derived from this table.
 */
export const OPTION_TABLE = {
  target: {
    flag: '--target',
    placeholder: 'url',
    type: 'url',
    env: 'TOUCHSTONE_TARGET',
    description:
      'base address, with or without /v1; or "emulator" for the built-in emulator, which is also the default without a key',
  },
  upstream: {
    flag: '--upstream',
    placeholder: 'url',
    type: 'url',
    env: 'TOUCHSTONE_UPSTREAM',
    description:
      'base address of the service behind the target, a gateway: measures the latency that the gateway adds. The run compares the responses with the record of an emulator, or loads another service in turns with the gateway, at twice the cost',
  },
  upstreamKey: {
    flag: '--upstream-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_UPSTREAM_KEY',
    defaultText: '--key',
    description: 'key for an upstream that is not an emulator',
  },
  key: {
    flag: '--key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY',
    description: 'key of an account with credits',
  },
  limitedKey: {
    flag: '--limited-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_LIMITED',
    description: 'key with a tight rate limit, for the scenario rate-limit',
  },
  smallKey: {
    flag: '--small-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_SMALL',
    description: 'key of an account with few credits, for the scenario credit-drain',
  },
  limit: {
    flag: '--limit',
    placeholder: 'limit',
    type: 'limit',
    isSetting: true,
    description: "rate limit of the limited key; 'burst' for a token bucket, 'obey' to wait for Retry-After",
    example: '60/60s,burst=5,obey',
  },
  smallBalance: {
    flag: '--small-balance',
    placeholder: 'credits',
    type: 'credits',
    isSetting: true,
    description: 'balance of the small account',
  },
  scenario: {
    flag: '--scenario',
    placeholder: 'name',
    type: 'string',
    default: 'chat-stream',
    description: 'requests to send: see the list of scenarios',
  },
  profile: {
    flag: '--profile',
    placeholder: 'name',
    type: 'choice',
    choices: ['smoke', 'average', 'stress', 'spike', 'soak', 'breakpoint'],
    default: 'smoke',
    description: 'amount of load over time: see the list of profiles',
  },
  arrivals: {
    flag: '--arrivals',
    placeholder: 'kind',
    type: 'choice',
    choices: ['constant', 'poisson', 'closed', 'trace'],
    defaultText: "the profile's",
    description: 'when requests are sent',
  },
  trace: {
    flag: '--trace',
    placeholder: 'file',
    type: 'file',
    description: 'file of JSON lines such as {"atMs": 1500, "promptTokens": 120, "outputTokens": 80}',
  },
  vus: {
    flag: '--vus',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: "the profile's",
    description: 'maximum number of concurrent requests',
  },
  rate: {
    flag: '--rate',
    placeholder: 'n',
    type: 'number',
    defaultText: "the profile's",
    description: 'requests per second at the peak of the profile',
  },
  durationS: {
    flag: '--duration',
    placeholder: 'time',
    type: 'duration',
    defaultText: "the profile's",
    description: 'duration of the whole profile: 30s, 5m, 1h',
  },
  iterations: {
    flag: '--iterations',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    description: 'number of requests after which a closed loop ends',
  },
  seed: {
    flag: '--seed',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 1,
    isSetting: true,
    description: 'the same seed produces the same requests at the same times',
  },
  models: {
    flag: '--model',
    placeholder: '[operation=]model',
    type: 'model',
    repeatable: true,
    defaultText: 'the cheapest of the specification',
    description: 'model of all operations, or of one: chat, images, transcriptions or speech',
  },
  maxTokens: {
    flag: '--max-tokens',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 64,
    isSetting: true,
    description: 'max_tokens of each chat request',
  },
  promptWords: {
    flag: '--prompt-words',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 30,
    isSetting: true,
    description: 'approximate length of a prompt, in words',
  },
  weights: {
    flag: '--weights',
    placeholder: 'weights',
    type: 'weights',
    isSetting: true,
    description: 'share of each operation in the scenarios mixed and soak',
    example: 'chat-stream=3,images=1',
  },
  budgets: {
    flag: '--budget',
    placeholder: 'budget',
    type: 'budget',
    repeatable: true,
    defaultText: 'failed.rate<=1%',
    description: 'threshold for the results',
    example: "'ttft.p99<=800ms'",
  },
  budgetFile: {
    flag: '--budgets',
    placeholder: 'file',
    type: 'file',
    description: 'file with one budget per line',
  },
  find: {
    flag: '--find',
    placeholder: 'budget',
    type: 'budget',
    repeatable: true,
    description: 'search the highest rate at which this budget holds, in several runs',
    example: "'ttft.p99<=800ms'",
  },
  maxRate: {
    flag: '--max-rate',
    placeholder: 'n',
    type: 'number',
    defaultText: '1000',
    description: 'highest rate of --find, in requests per second',
  },
  maxDurationS: {
    flag: '--max-duration',
    placeholder: 'time',
    type: 'duration',
    defaultText: '30m',
    description: 'time after which --find starts no further run',
  },
  resolutionPercent: {
    flag: '--resolution',
    placeholder: 'n',
    type: 'number',
    defaultText: '5',
    description: 'precision of the rate that --find finds, in percent',
  },
  maxCredits: {
    flag: '--max-credits',
    placeholder: 'n',
    type: 'credits',
    description: 'spend limit: a run that may cost more does not start, and a run ends before it costs more',
  },
  countPrompts: {
    flag: '--count-prompts',
    type: 'boolean',
    description:
      'count every prompt with the target before the run, for an exact cost estimate; each prompt is charged once more',
  },
  contentPath: {
    flag: '--content-path',
    placeholder: 'path',
    type: 'string',
    defaultText: 'choices.0.delta.content',
    isSetting: true,
    description: "path of the text in a stream event, or '.' if the whole event is text",
  },
  streamUsage: {
    flag: '--no-stream-usage',
    type: 'boolean',
    default: true,
    isSetting: true,
    description: 'omit stream_options, which the specification does not define',
  },
  echo: {
    flag: '--echo',
    type: 'boolean',
    isSetting: true,
    description: 'request a unique word in each response, to detect responses to other requests',
  },
  ca: {
    flag: '--ca',
    placeholder: 'file',
    type: 'file',
    description: 'certificate authorities to trust, as a PEM file (Linux only)',
  },
  insecure: {
    flag: '--insecure',
    type: 'boolean',
    isSetting: true,
    description: 'accept any certificate',
  },
  segment: {
    flag: '--segment',
    placeholder: 'i/n',
    type: 'segment',
    description: 'generate one of n equal segments of the load, for report merge',
  },
  startAtUnixMs: {
    flag: '--start-at',
    placeholder: 'time',
    type: 'instant',
    description: 'start time of the load, for segments that start together: ISO 8601 or Unix seconds',
  },
  calibration: {
    flag: '--no-calibration',
    type: 'boolean',
    default: true,
    description: "skip the measurement of the generator's own error after a run that does not bound it itself",
  },
  k6: {
    flag: '--k6',
    placeholder: 'path',
    type: 'file',
    env: 'TOUCHSTONE_K6',
    defaultText: 'the installed package, or built once with Go',
    description: 'k6 binary with the extension',
  },
  timeoutMs: {
    flag: '--timeout-ms',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 60_000,
    isSetting: true,
    description: 'deadline of each request, in milliseconds',
  },
} as const satisfies Readonly<Record<string, OptionRow>>
