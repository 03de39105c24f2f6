import type { OptionRow as AnyOptionRow } from '../../common/options/option-table.ts'

/** An option of the emulator. Every option has an environment variable. */
export interface OptionRow extends AnyOptionRow {
  readonly env: string
}

/**
 * All options, by their name in `EmulatorOptions` and in config files. Types, parsers, flags, environment variables and
 * the reference page (`docs/reference/options.md`) are derived from this table.
 */
export const OPTION_TABLE = {
  port: {
    flag: '--port',
    placeholder: 'number',
    type: 'integer',
    max: 65_535,
    env: 'TOUCHSTONE_EMULATOR_PORT',
    default: 0,
    defaultText: '8080, or 0 in a program',
    description: 'port to listen on; 0 selects a free port',
  },
  host: {
    flag: '--host',
    placeholder: 'address',
    type: 'host',
    env: 'TOUCHSTONE_EMULATOR_HOST',
    default: '127.0.0.1',
    description: 'address to listen on',
  },
  fastPath: {
    flag: '--fast-path',
    placeholder: 'state',
    type: 'choice',
    choices: ['on', 'off'],
    env: 'TOUCHSTONE_EMULATOR_FAST_PATH',
    default: 'on',
    description:
      'whether the fast path serves common requests; if off, Fastify serves every request, which takes longer',
  },
  seed: {
    flag: '--seed',
    placeholder: 'integer',
    type: 'integer',
    max: Number.MAX_SAFE_INTEGER,
    env: 'TOUCHSTONE_EMULATOR_SEED',
    default: 1,
    description: 'seed of the generated content; the same seed produces the same responses',
  },
  clock: {
    flag: '--clock',
    placeholder: 'clock',
    type: 'clock',
    env: 'TOUCHSTONE_EMULATOR_CLOCK',
    default: 'real',
    description:
      'source of time: real; frozen:<Unix seconds>, for constant `created` fields; or virtual, a clock that only the control API advances',
  },
  answerTokens: {
    flag: '--answer-tokens',
    placeholder: 'length',
    type: 'answer-tokens',
    env: 'TOUCHSTONE_EMULATOR_ANSWER_TOKENS',
    default: 'natural',
    description:
      'length of a completion in tokens: natural, fill (always max_tokens), or a number; never more than max_tokens',
  },
  latency: {
    flag: '--latency',
    placeholder: 'profile',
    type: 'latency',
    env: 'TOUCHSTONE_EMULATOR_LATENCY',
    default: 'instant',
    description:
      'delay of the responses: a profile (instant, fast, typical, slow or reasoner), parts such as ttft=100ms,itl=20ms, or a profile with parts: typical,images=2s',
  },
  slots: {
    flag: '--slots',
    placeholder: 'number',
    type: 'integer',
    min: 1,
    max: 1_000_000,
    env: 'TOUCHSTONE_EMULATOR_SLOTS',
    defaultText: 'no limit',
    description: 'maximum number of requests that the emulator serves at once; further requests wait in a queue',
  },
  queueLength: {
    flag: '--queue-length',
    placeholder: 'number',
    type: 'integer',
    max: 1_000_000,
    env: 'TOUCHSTONE_EMULATOR_QUEUE_LENGTH',
    defaultText: 'no limit',
    description:
      'with --slots: maximum number of requests in the queue; further requests get a 429, or a 503 with --option queue-full=503',
  },
  publicUrl: {
    flag: '--public-url',
    placeholder: 'url',
    type: 'url',
    env: 'TOUCHSTONE_EMULATOR_PUBLIC_URL',
    defaultText: 'the address that the client used',
    description: 'base URL in the URLs of generated images',
  },
  requestLog: {
    flag: '--request-log',
    placeholder: 'bounds',
    type: 'request-log-bounds',
    env: 'TOUCHSTONE_EMULATOR_REQUEST_LOG',
    description: 'maximum size of the request log',
    example: 'entries=10000,bytes=16777216,bodies=0,digests=0',
  },
  controlToken: {
    flag: '--control-token',
    placeholder: 'token',
    type: 'control-token',
    env: 'TOUCHSTONE_EMULATOR_CONTROL_TOKEN',
    defaultText: 'none',
    description: 'token that requests to the control API must send in the header x-touchstone-token',
    isSecret: true,
  },
  limitedRate: {
    flag: '--limited-rate',
    placeholder: 'limit',
    type: 'rate-limit',
    env: 'TOUCHSTONE_EMULATOR_LIMITED_RATE',
    default: 'requestsPerMinute=60,burst=5',
    description: 'rate limit of the standard account "limited"',
  },
  createdRate: {
    flag: '--created-rate',
    placeholder: 'limit',
    type: 'rate-limit',
    env: 'TOUCHSTONE_EMULATOR_CREATED_RATE',
    defaultText: 'none',
    description: 'rate limit of accounts that are created without one',
    example: 'tokensPerMinute=9000,algorithm=sliding-window',
  },
  accounts: {
    flag: '--account',
    placeholder: 'key=…,credits=…',
    type: 'accounts',
    repeatable: true,
    env: 'TOUCHSTONE_EMULATOR_ACCOUNTS',
    defaultText: 'none',
    description: 'account to create at start-up, with its key, credits and rate limit',
    example: 'key=sk-svc-mine,credits=5,requestsPerMinute=60',
    isSecret: true,
  },
  models: {
    flag: '--model',
    placeholder: 'id=price',
    type: 'models',
    repeatable: true,
    env: 'TOUCHSTONE_EMULATOR_MODELS',
    defaultText: 'none',
    description:
      'additional model: id=price (credits per token), or id=model (alias of a model); :chat+images at the end limits its operations',
    example: 'my-model=0.002',
  },
  options: {
    flag: '--option',
    placeholder: 'name=value',
    type: 'behaviour-options',
    repeatable: true,
    env: 'TOUCHSTONE_EMULATOR_OPTIONS',
    description:
      'option for behaviour that the specification leaves open; emulator/behaviour-options.md lists all of them',
    example: 'error-body=detail',
  },
  extensions: {
    flag: '--extension',
    placeholder: 'names',
    type: 'extensions',
    repeatable: true,
    env: 'TOUCHSTONE_EMULATOR_EXTENSIONS',
    defaultText: 'none',
    description: 'additional APIs to serve: responses, embeddings, or both',
    example: 'responses,embeddings',
  },
  fault: {
    flag: '--fault',
    placeholder: 'rule',
    type: 'faults',
    repeatable: true,
    env: 'TOUCHSTONE_EMULATOR_FAULT',
    description: 'rule for a fault to inject; docs/reference/emulator.md lists the fields of a rule',
    example: "'operation=chat,times=2,status=500'",
  },
  faults: {
    flag: '--faults',
    placeholder: 'file',
    type: 'fault-file',
    env: 'TOUCHSTONE_EMULATOR_FAULTS',
    description: 'JSON file with rules for faults to inject: {"faults": [...]}',
  },
  allowFaultHeader: {
    flag: '--allow-fault-header',
    type: 'boolean',
    env: 'TOUCHSTONE_EMULATOR_ALLOW_FAULT_HEADER',
    default: false,
    description: 'lets clients inject a fault into a response with the request header x-touchstone-fault',
  },
  fixtures: {
    flag: '--fixtures',
    placeholder: 'path',
    type: 'fixtures',
    env: 'TOUCHSTONE_EMULATOR_FIXTURES',
    description: 'JSON file with scripted responses, or a directory of such files',
  },
  strictFixtures: {
    flag: '--strict-fixtures',
    type: 'boolean',
    env: 'TOUCHSTONE_EMULATOR_STRICT_FIXTURES',
    default: false,
    description: 'returns 400 for a request that matches no fixture or recording, instead of generating a response',
  },
  replay: {
    flag: '--replay',
    placeholder: 'directory',
    type: 'folder',
    env: 'TOUCHSTONE_EMULATOR_REPLAY',
    description: 'directory with recordings to replay',
  },
  replayPace: {
    flag: '--replay-pace',
    placeholder: 'pace',
    type: 'choice',
    choices: ['recorded', 'instant'],
    env: 'TOUCHSTONE_EMULATOR_REPLAY_PACE',
    default: 'recorded',
    description: 'speed at which streams are replayed',
  },
  replayIgnore: {
    flag: '--replay-ignore',
    placeholder: 'fields',
    type: 'field-names',
    env: 'TOUCHSTONE_EMULATOR_REPLAY_IGNORE',
    defaultText: 'none',
    description: 'fields of JSON bodies that may differ from the recording, separated by commas',
    example: 'tools,user',
  },
  record: {
    flag: '--record',
    placeholder: 'url',
    type: 'url',
    env: 'TOUCHSTONE_EMULATOR_RECORD',
    description:
      "base URL of an upstream; the emulator forwards every request under /v1 to it with the client's key, and records the responses",
  },
  recordDir: {
    flag: '--record-dir',
    placeholder: 'directory',
    type: 'folder',
    env: 'TOUCHSTONE_EMULATOR_RECORD_DIR',
    default: 'recordings',
    description: 'directory to write recordings to; recordings contain no API keys',
  },
  recordMissing: {
    flag: '--record-missing',
    type: 'boolean',
    env: 'TOUCHSTONE_EMULATOR_RECORD_MISSING',
    default: false,
    description:
      'with --record: replays existing recordings in --record-dir, and forwards only requests without a recording',
  },
} as const satisfies Readonly<Record<string, OptionRow>>

/** Options that only programs can set. They have no flag, environment variable or config file entry. */
export const IN_PROCESS_OPTION_TABLE = {
  /** Unix time in seconds for the field `created` of all responses except the model list. Default: the current time. */
  frozenAtUnixSeconds: { type: 'integer', max: 9_999_999_999 },
  /** Time that `close` waits for responses in flight before it aborts them, in milliseconds of real time. */
  drainLimitMs: { type: 'integer', max: 2 ** 31 - 1, default: 10_000 },
} as const
