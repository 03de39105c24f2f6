import type { OptionTable } from '../../common/options/option-table.ts'

const ROWS = {
  port: {
    flag: '--port',
    placeholder: 'number',
    type: 'integer',
    max: 65_535,
    default: 0,
    defaultText: '8080, or 0 in a program',
    description: 'port to listen on; 0 selects a free port',
  },
  host: {
    flag: '--host',
    placeholder: 'address',
    type: 'host',
    default: '127.0.0.1',
    description: 'address to listen on',
  },
  fastPath: {
    flag: '--fast-path',
    placeholder: 'state',
    type: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    description:
      "whether the fast path serves common requests; if off, Node's HTTP server reads every request, which takes longer",
  },
  seed: {
    flag: '--seed',
    placeholder: 'integer',
    type: 'integer',
    max: Number.MAX_SAFE_INTEGER,
    default: 1,
    description: 'seed of the generated content; the same seed produces the same responses',
  },
  clock: {
    flag: '--clock',
    placeholder: 'clock',
    type: 'clock',
    default: 'real',
    description:
      'source of time: real; frozen:<Unix seconds>, for constant `created` fields; or virtual, a clock that only the control API advances',
  },
  answerTokens: {
    flag: '--answer-tokens',
    placeholder: 'length',
    type: 'answer-tokens',
    default: 'natural',
    description:
      'length of a completion in tokens: natural, fill (always max_tokens), or a number; never more than max_tokens',
  },
  latency: {
    flag: '--latency',
    placeholder: 'profile',
    type: 'latency',
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
    defaultText: 'no limit',
    description: 'maximum number of requests that the emulator serves at once; further requests wait in a queue',
  },
  queueLength: {
    flag: '--queue-length',
    placeholder: 'number',
    type: 'integer',
    max: 1_000_000,
    defaultText: 'no limit',
    description:
      'with --slots: maximum number of requests in the queue; further requests get a 429, or a 503 with --option queue-full=503',
  },
  publicUrl: {
    flag: '--public-url',
    placeholder: 'url',
    type: 'url',
    defaultText: 'the address that the client used',
    description: 'base URL in the URLs of generated images',
  },
  requestLog: {
    flag: '--request-log',
    placeholder: 'bounds',
    type: 'request-log-bounds',
    description: 'maximum size of the request log',
    example: 'entries=10000,bytes=16777216,bodies=0,digests=0',
  },
  controlToken: {
    flag: '--control-token',
    placeholder: 'token',
    type: 'control-token',
    defaultText: 'none',
    description: 'token that requests to the control API must send in the header x-touchstone-token',
    isSecret: true,
  },
  limitedRate: {
    flag: '--limited-rate',
    placeholder: 'limit',
    type: 'rate-limit',
    default: 'requestsPerMinute=60,burst=5',
    description: 'rate limit of the standard account "limited"',
  },
  createdRate: {
    flag: '--created-rate',
    placeholder: 'limit',
    type: 'rate-limit',
    defaultText: 'none',
    description: 'rate limit of accounts that are created without one',
    example: 'tokensPerMinute=9000,algorithm=sliding-window',
  },
  accounts: {
    flag: '--account',
    placeholder: 'key=…,credits=…',
    type: 'accounts',
    repeatable: true,
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
    description:
      'option for behaviour that the specification leaves open; emulator/behaviour-options.md lists all of them',
    example: 'error-body=detail',
  },
  extensions: {
    flag: '--extension',
    placeholder: 'names',
    type: 'extensions',
    repeatable: true,
    defaultText: 'none',
    description: 'additional APIs to serve: responses, embeddings, or both',
    example: 'responses,embeddings',
  },
  fault: {
    flag: '--fault',
    placeholder: 'rule',
    type: 'faults',
    repeatable: true,
    description: 'rule for a fault to inject; docs/reference/emulator.md lists the fields of a rule',
    example: "'operation=chat,times=2,status=500'",
  },
  faults: {
    flag: '--faults',
    placeholder: 'file',
    type: 'fault-file',
    description: 'JSON file with rules for faults to inject: {"faults": [...]}',
  },
  allowFaultHeader: {
    flag: '--allow-fault-header',
    type: 'boolean',
    default: false,
    description: 'lets clients inject a fault into a response with the request header x-touchstone-fault',
  },
  fixtures: {
    flag: '--fixtures',
    placeholder: 'path',
    type: 'fixtures',
    description: 'JSON file with scripted responses, or a directory of such files',
  },
  strictFixtures: {
    flag: '--strict-fixtures',
    type: 'boolean',
    default: false,
    description: 'returns 400 for a request that matches no fixture or recording, instead of generating a response',
  },
  replay: {
    flag: '--replay',
    placeholder: 'directory',
    type: 'folder',
    description: 'directory with recordings to replay',
  },
  replayPace: {
    flag: '--replay-pace',
    placeholder: 'pace',
    type: 'choice',
    choices: ['recorded', 'instant'],
    default: 'recorded',
    description: 'speed at which streams are replayed',
  },
  replayIgnore: {
    flag: '--replay-ignore',
    placeholder: 'fields',
    type: 'field-names',
    defaultText: 'none',
    description: 'fields of JSON bodies that may differ from the recording, separated by commas',
    example: 'tools,user',
  },
  record: {
    flag: '--record',
    placeholder: 'url',
    type: 'url',
    description:
      "base URL of an upstream; the emulator forwards every request under /v1 to it with the client's key, and records the responses",
  },
  recordDir: {
    flag: '--record-dir',
    placeholder: 'directory',
    type: 'folder',
    default: 'recordings',
    description: 'directory to write recordings to; recordings contain no API keys',
  },
  recordMissing: {
    flag: '--record-missing',
    type: 'boolean',
    default: false,
    description:
      'with --record: replays existing recordings in --record-dir, and forwards only requests without a recording',
  },
} as const satisfies OptionTable

type Rows = typeof ROWS

/**
 * All options, by their name in `EmulatorOptions` and in config files. Types, parsers, flags, environment variables and
 * the reference page (`docs/reference/options.md`) are derived from this table. The variable of `replayPace` is
 * `TOUCHSTONE_EMULATOR_REPLAY_PACE`.
 */
export const OPTION_TABLE = Object.fromEntries(
  Object.entries(ROWS).map(([name, row]) => [name, { ...row, env: nameVariable(name) }]),
) as { readonly [Name in keyof Rows]: Rows[Name] & { readonly env: string } } // Restores the types of the rows.

function nameVariable(name: string): string {
  return `TOUCHSTONE_EMULATOR_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

/** Options that only programs can set. They have no flag, environment variable or config file entry. */
export const IN_PROCESS_OPTION_TABLE = {
  /** Unix time in seconds for the field `created` of all responses except the model list. Default: the current time. */
  frozenAtUnixSeconds: { type: 'integer', max: 9_999_999_999 },
  /** Time that `close` waits for responses in flight before it aborts them, in milliseconds of real time. */
  drainLimitMs: { type: 'integer', max: 2 ** 31 - 1, default: 10_000 },
} as const
