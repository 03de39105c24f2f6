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
    description: 'base URL, with or without /v1',
  },
  upstream: {
    flag: '--upstream',
    placeholder: 'url',
    type: 'url',
    env: 'TOUCHSTONE_UPSTREAM',
    description:
      'base URL of the service behind a gateway; the run then measures the latency that the gateway adds. If the service is not an emulator, the run measures both alternately and costs twice as much',
  },
  upstreamKey: {
    flag: '--upstream-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_UPSTREAM_KEY',
    defaultText: '--key',
    description: 'API key for an upstream that is not an emulator',
  },
  key: {
    flag: '--key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY',
    description: 'API key of an account with credits',
  },
  limitedKey: {
    flag: '--limited-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_LIMITED',
    description: 'API key with a low rate limit, for the scenario rate-limit',
  },
  smallKey: {
    flag: '--small-key',
    placeholder: 'key',
    type: 'string',
    env: 'TOUCHSTONE_KEY_SMALL',
    description: 'API key of an account with few credits, for the scenario credit-drain',
  },
  headers: {
    flag: '--header',
    placeholder: 'line',
    type: 'header',
    repeatable: true,
    description: 'header to add to every request to the target, such as one that a gateway requires',
    example: "'Name: value'",
  },
  limit: {
    flag: '--limit',
    placeholder: 'limit',
    type: 'limit',
    isSetting: true,
    description:
      'rate limit of the account that --limited-key belongs to; burst=N declares a token bucket of N requests, and obey makes the scenario wait for Retry-After',
    example: '60/60s,burst=5,obey',
  },
  smallBalance: {
    flag: '--small-balance',
    placeholder: 'credits',
    type: 'credits',
    isSetting: true,
    description: 'balance of the account that --small-key belongs to',
  },
  scenario: {
    flag: '--scenario',
    placeholder: 'name',
    type: 'string',
    default: 'chat-stream',
    description: 'kind of requests to send, such as speech or mixed',
  },
  profile: {
    flag: '--profile',
    placeholder: 'name',
    type: 'choice',
    choices: ['smoke', 'average', 'stress', 'spike', 'soak', 'breakpoint'],
    default: 'smoke',
    description: 'amount of load over time',
  },
  arrivals: {
    flag: '--arrivals',
    placeholder: 'kind',
    type: 'choice',
    choices: ['constant', 'poisson', 'closed', 'trace'],
    defaultText: 'set by the profile',
    description: 'schedule of the requests: evenly spaced, at random times, in a closed loop, or from a trace',
  },
  trace: {
    flag: '--trace',
    placeholder: 'file',
    type: 'file',
    description:
      'JSON Lines file with a line for each request, such as {"atMs": 1500, "promptTokens": 120, "outputTokens": 80}',
  },
  vus: {
    flag: '--vus',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    defaultText: 'set by the profile',
    description: 'maximum number of concurrent requests',
  },
  rate: {
    flag: '--rate',
    placeholder: 'n',
    type: 'number',
    defaultText: 'set by the profile',
    description: 'target load: requests per second at the peak of the profile',
  },
  durationS: {
    flag: '--duration',
    placeholder: 'time',
    type: 'duration',
    defaultText: 'set by the profile',
    description: 'duration of the whole profile, such as 30s, 5m or 1h',
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
    defaultText: 'the cheapest model of the specification',
    description: 'model for all operations, or for one of chat, images, transcriptions and speech',
  },
  maxTokens: {
    flag: '--max-tokens',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 64,
    isSetting: true,
    description: 'value of max_tokens in each chat request',
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
    description: 'limit for a metric; the run fails if the metric exceeds the limit',
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
    description: 'searches for the highest rate at which this budget holds; takes several runs',
    example: "'ttft.p99<=800ms'",
  },
  maxRate: {
    flag: '--max-rate',
    placeholder: 'n',
    type: 'number',
    defaultText: '1000',
    description: 'highest rate that --find tries, in requests per second',
  },
  maxDurationS: {
    flag: '--max-duration',
    placeholder: 'time',
    type: 'duration',
    defaultText: '30m',
    description: 'maximum time in which --find starts new runs',
  },
  resolutionPercent: {
    flag: '--resolution',
    placeholder: 'n',
    type: 'number',
    defaultText: '5',
    description: 'precision of the rate that --find returns, in percent',
  },
  maxCredits: {
    flag: '--max-credits',
    placeholder: 'n',
    type: 'credits',
    description: 'spend limit; a run that may cost more does not start',
  },
  credits: {
    flag: '--no-credits',
    type: 'boolean',
    default: true,
    description: 'omits credits from the report, because the target has none',
  },
  countPrompts: {
    flag: '--count-prompts',
    type: 'boolean',
    description:
      'sends every prompt to the target before the run to count its tokens; the cost estimate is then more precise, but the target charges each prompt twice',
  },
  contentPath: {
    flag: '--content-path',
    placeholder: 'path',
    type: 'string',
    defaultText: 'choices.0.delta.content',
    isSetting: true,
    description: "path of the text in a stream event, or '.' if the event consists of text only",
  },
  streamUsage: {
    flag: '--no-stream-usage',
    type: 'boolean',
    default: true,
    isSetting: true,
    description: 'omits stream_options from requests, because the specification does not define it',
  },
  echo: {
    flag: '--echo',
    type: 'boolean',
    isSetting: true,
    description: 'instructs the model to repeat a unique word, to detect responses that belong to another request',
  },
  ca: {
    flag: '--ca',
    placeholder: 'file',
    type: 'file',
    description: 'PEM file of the certificate authorities to trust (Linux only)',
  },
  insecure: {
    flag: '--insecure',
    type: 'boolean',
    isSetting: true,
    description: 'accepts any TLS certificate',
  },
  segment: {
    flag: '--segment',
    placeholder: 'i/n',
    type: 'segment',
    description: 'generates only segment i of n equal segments of the load; report merge merges the results',
  },
  startAtUnixMs: {
    flag: '--start-at',
    placeholder: 'time',
    type: 'instant',
    description:
      'time at which the load starts, as ISO 8601 or Unix seconds; segments with the same value start together',
  },
  calibration: {
    flag: '--no-calibration',
    type: 'boolean',
    default: true,
    description: 'skips the calibration, which measures the error of the load generator after the run',
  },
  k6: {
    flag: '--k6',
    placeholder: 'path',
    type: 'file',
    env: 'TOUCHSTONE_K6',
    defaultText: 'the k6 of an installed package, or one built with Go',
    description: 'path of a k6 binary that contains the extension',
  },
  timeoutMs: {
    flag: '--timeout-ms',
    placeholder: 'n',
    type: 'integer',
    min: 1,
    default: 60_000,
    isSetting: true,
    description: 'maximum duration of each request, in milliseconds',
  },
} as const satisfies Readonly<Record<string, OptionRow>>
