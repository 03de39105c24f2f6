import { isSecretName } from '../common/secrets/secret-values.ts'
import { isDeepStrictEqual } from 'node:util'
import { OPERATION_NAMES } from '../contract/facts.ts'
import {
  buildTargetFileDraft,
  findUnservedChecks,
  OPTION_TABLE,
  planConformance,
  runConformance,
  type ConformanceOptions,
  type ConformanceResult,
  type RunProgress,
  type SecretVariables,
  type TargetFileDraft,
} from '../conformance/run-conformance.ts'
import type { CauseEntry, CheckEntry, ConformanceDocument } from '../reports/conformance-document.ts'
import { findEarlyEnds, listCodedRemarks } from '../reports/remarks.ts'
import type { OptionTable, OptionValues } from '../common/options/option-table.ts'
import { CONFORMANCE_TABLE, readConformanceOptions, TARGET_TABLE } from './read-conformance-options.ts'
import { reportProxy } from './report-proxy.ts'
import { describeEvidence } from './messages/describe-evidence.ts'
import { CommandLineError } from './command-line-error.ts'
import { isBuiltInEmulator } from './target-for-keys.ts'

// The default text describes the default of `conformance`.
const { defaultText: _, ...MAX_SECONDS_ROW } = OPTION_TABLE.maxSeconds

export const INIT_TABLE = {
  ...TARGET_TABLE,
  model: CONFORMANCE_TABLE.model,
  without: OPTION_TABLE.without,
  headers: OPTION_TABLE.headers,
  ca: OPTION_TABLE.ca,
  insecure: OPTION_TABLE.insecure,
  upstream: OPTION_TABLE.upstream,
  upstreamToken: OPTION_TABLE.upstreamToken,
  maxCredits: OPTION_TABLE.maxCredits,
  timeoutMs: { ...OPTION_TABLE.timeoutMs, default: 20_000 },
  maxSeconds: { ...MAX_SECONDS_ROW, default: 300 },
  rate: OPTION_TABLE.rate,
  concurrency: { ...OPTION_TABLE.concurrency, default: 4 },
  file: {
    flag: '--file',
    placeholder: 'file',
    type: 'file',
    default: 'touchstone.json',
    description: 'target file to write',
  },
  force: { flag: '--force', type: 'boolean', description: 'overwrites an existing file' },
  json: { flag: '--json', type: 'boolean', description: 'prints the target file and writes nothing' },
} as const satisfies OptionTable

export type InitValues = OptionValues<typeof INIT_TABLE>

/** A draft of a target file, or the reason why the probe of the target failed. */
export type ProbeResult =
  | {
      readonly draft: TargetFileDraft
      /** Number of models in the target's list that the draft does not contain. */
      readonly untriedModels: number
      /** Causes of failures and warnings that the draft does not declare, because they look like faults. */
      readonly faults: readonly CauseEntry[]
    }
  | { readonly problem: string }

const RUN_DEFAULTS = {
  timeoutMs: INIT_TABLE.timeoutMs.default,
  maxSeconds: INIT_TABLE.maxSeconds.default,
  concurrency: INIT_TABLE.concurrency.default,
} as const

/** Options of the keys that a target file may name, by account. */
const KEY_OPTIONS = { funded: 'keys.funded', 'no-credits': 'keys.noCredits', limited: 'keys.limited' } as const

interface Hooks {
  readonly signal: AbortSignal
  /** Called before each run, with the maximum number of its requests and its number, from 1. */
  onEstimate(requests: number, run: number): void
  onProgress(progress: RunProgress): void
}

/**
 * Probes a deployment and builds a target file from its behaviour.
 * @throws CommandLineError, InvalidOptionError
 */
export async function probeTarget(values: InitValues, hooks: Hooks): Promise<ProbeResult> {
  const { file: _file, force: _force, json: _json, ...target } = values
  if (target.url === undefined)
    throw new CommandLineError('This command needs the address of a target. Set --target or TOUCHSTONE_TARGET.')
  if (isBuiltInEmulator(target.url))
    throw new CommandLineError('The built-in emulator needs no target file. Set --target to the URL of a deployment.')
  const given = await readConformanceOptions({ ...RUN_DEFAULTS, ...target })
  const hasKey = given.keys?.funded !== undefined
  const options = hasKey
    ? given
    : { ...given, differences: { authentication: FOUND_WITHOUT_KEYS, ...given.differences } }
  reportProxy(options.url)
  const { requests } = planConformance(options).estimate
  const run = (changed: Partial<ConformanceOptions>, number: number): Promise<ConformanceResult> => {
    hooks.onEstimate(requests, number)
    return runConformance({ ...options, ...changed, signal: hooks.signal, onProgress: hooks.onProgress })
  }
  const first = (await run({}, 1)).document
  const problem = findProblem(first, hooks.signal, hasKey)
  if (problem !== undefined) return { problem }
  const variables = listVariables(target)
  // The second run uses the draft of the first: it shows what varies, and which differences the target contradicts. The
  // third run uses differences that only the second one shows.
  let last = first
  const earlier: ConformanceDocument[] = []
  let draft = buildTargetFileDraft(first, variables)
  for (const number of [2, 3]) {
    earlier.push(last)
    last = (await run(optionsOf(draft, options), number)).document
    const lost = findProblem(last, hooks.signal, hasKey) ?? describeEarlyEnd(last)
    if (lost !== undefined) return { problem: lost }
    const before = draft.differences
    // The second run tests the models of the draft, so only the first one searches for them.
    draft = { ...buildTargetFileDraft(last, variables, earlier), ...modelsOf(draft) }
    if (isDeepStrictEqual(listValues(draft.differences), listValues(before))) break
  }
  const written = Array.isArray(draft.models) ? draft.models.length : 0
  return {
    draft,
    untriedModels: Math.max(0, (first.target.ownModels?.ids.length ?? 0) - written),
    faults: listFaults(last),
  }
}

/** Lists the declared values, without their reasons. */
function listValues(differences: TargetFileDraft['differences'] = {}): readonly unknown[] {
  return Object.entries(differences).map(([name, { value }]) => [name, value])
}

/** Describes why a run with the draft shows too little. */
function describeEarlyEnd(document: ConformanceDocument): string | undefined {
  const [reason] = findEarlyEnds(document)
  return reason === undefined ? undefined : `The run with the draft ended early (${reason}). Nothing was written.`
}

function modelsOf({ models }: TargetFileDraft): Pick<TargetFileDraft, 'models'> {
  return models === undefined ? {} : { models }
}

/** Difference of a target that serves requests without a key. */
const FOUND_WITHOUT_KEYS = { value: 'none', why: 'init found that requests need no key' } as const

const INTERRUPTED = 'The command was interrupted. Nothing was written.'

/** Returns why a run is no basis for a target file. */
function findProblem(document: ConformanceDocument, signal: AbortSignal, hasKey: boolean): string | undefined {
  if (signal.aborted) return INTERRUPTED
  const { url, obstacle, problem } = document.target
  if (!hasKey && (obstacle?.code === 'key-missing' || rejectsChats(document)))
    return `${url} needs an API key. Set --key or TOUCHSTONE_KEY. Nothing was written.`
  if (problem !== undefined) return problem
  const unserved = findUnservedChecks(document)
  const hint = listCodedRemarks(document).find(({ code }) => code === 'other-service')
  if (hint !== undefined && unserved.length > 0)
    return `${url} does not look like the API. ${hint.text} Nothing was written.`
  return unserved.length === 0 ? undefined : describeUnservedTarget(url, unserved)
}

/** Returns whether the target rejects chats without a key, although it may list its models. */
function rejectsChats({ checks }: ConformanceDocument): boolean {
  const { params = {} } = checks.find(({ id }) => id === '5/valid-key-chat') ?? {}
  return params['actualStatus'] === 401 || params['actualStatus'] === 403
}

/** Returns the options of a run with a draft of a target file. */
function optionsOf(draft: TargetFileDraft, given: ConformanceOptions): Partial<ConformanceOptions> {
  const absent = OPERATION_NAMES.filter((name) => draft.operations?.[name] === false)
  const { differences, models } = draft
  return {
    without: [...new Set([...(given.without ?? []), ...absent])],
    ...(differences === undefined ? {} : { differences }),
    ...(models === undefined ? {} : { models }),
  }
}

/** Returns the names of the variables that a target file contains in place of secrets. */
function listVariables(target: Partial<InitValues>): SecretVariables {
  const given = Object.entries(KEY_OPTIONS).filter(([, option]) => target[option] !== undefined)
  const keys = Object.fromEntries(given.map(([account, option]) => [account, OPTION_TABLE[option].env]))
  const lines = target.headers ?? []
  const isSecret = (line: string): boolean => isSecretName(nameOf(line))
  const headers = Object.fromEntries(lines.filter(isSecret).map((line) => [nameOf(line), variableOf(nameOf(line))]))
  const plain = lines.filter((line) => !isSecret(line))
  const plainHeaders = Object.fromEntries(plain.map((line) => [nameOf(line), valueOf(line)]))
  return { keys, headers, plainHeaders }
}

/** Lists the causes of failures and warnings, each with the checks that failed or warned. */
function listFaults({ causes, checks }: ConformanceDocument): CauseEntry[] {
  const failed = new Set(checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id))
  return causes
    .map((cause) => ({ ...cause, checks: cause.checks.filter((id) => failed.has(id)) }))
    .filter((cause) => cause.checks.length > 0)
}

/** Lists the response of each operation, because the user has to find out what serves these responses. */
function describeUnservedTarget(url: string, checks: readonly CheckEntry[]): string {
  const lines = checks.map((check) => {
    const { request, response } = check.evidence?.at(-1) ?? {}
    const { method = '', url: address = '' } = request ?? {}
    const seen = response === undefined || response === null ? check.actual : describeEvidence(response)
    return `  ${request === undefined ? check.id : `${method} ${new URL(address).pathname}`}: ${seen}`
  })
  return [
    `${url} lists no model, and no response contains a result of its operation. Nothing was written.`,
    ...lines,
    'Is the base URL right, and does the deployment serve these requests with this key?',
  ].join('\n')
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':')).trim().toLowerCase()
}

function valueOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim()
}

function variableOf(header: string): string {
  return `TOUCHSTONE_HEADER_${header.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
}
