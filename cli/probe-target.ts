import { access, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isSecretName } from '../common/secrets/secret-values.ts'
import { isDeepStrictEqual } from 'node:util'
import { ERROR_STATUSES, OPERATION_NAMES } from '../contract/facts.ts'
import {
  buildTargetFileDraft,
  findUnservedChecks,
  listDeclaredDifferences,
  OPTION_TABLE,
  planConformance,
  runConformance,
  type DeclaredModel,
  type ConformanceOptions,
  type ConformanceResult,
  type RunProgress,
  type SecretVariables,
  type TargetFileDraft,
} from '../conformance/run-conformance.ts'
import type { CauseEntry, CheckEntry, ConformanceDocument } from '../reports/conformance-document.ts'
import { listCodedRemarks } from '../reports/remarks.ts'
import { serializeDocument, writeFileAtomically } from '../reports/write-document.ts'
import type { OptionTable, OptionValues } from '../common/options/option-table.ts'
import { CONFORMANCE_TABLE, readConformanceOptions, TARGET_TABLE } from './read-conformance-options.ts'
import { reportProxy } from './report-proxy.ts'
import { describeEvidence } from './messages/describe-evidence.ts'
import { formatCommand } from './format-command.ts'
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
      /** Causes of failures that the draft does not declare, because they look like faults. */
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
  const hasKey = target['keys.funded'] !== undefined
  const given = await readConformanceOptions({ ...RUN_DEFAULTS, ...target })
  const options = hasKey
    ? given
    : { ...given, differences: { ...given.differences, authentication: FOUND_WITHOUT_KEYS } }
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
    const before = draft.differences
    draft = buildTargetFileDraft(last, variables, earlier)
    if (hooks.signal.aborted) return { problem: INTERRUPTED }
    if (isDeepStrictEqual(Object.keys(draft.differences ?? {}), Object.keys(before ?? {}))) break
  }
  const written = isList(draft.models) ? draft.models.length : 0
  return {
    draft,
    untriedModels: Math.max(0, (first.target.ownModels?.ids.length ?? 0) - written),
    faults: last.causes.filter(({ checks }) => hasFailure(last, checks)),
  }
}

/** Difference of a target that serves requests without a key. */
const FOUND_WITHOUT_KEYS = { value: 'none', why: 'init found that requests need no key' } as const

const INTERRUPTED = 'The command was interrupted. Nothing was written.'

/** Returns why a run is no basis for a target file. */
function findProblem(document: ConformanceDocument, signal: AbortSignal, hasKey: boolean): string | undefined {
  if (signal.aborted) return INTERRUPTED
  const { url, obstacle, problem } = document.target
  if (!hasKey && (obstacle?.code === 'funded-key-rejected' || rejectsChats(document)))
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
  const { code, params = {} } = checks.find(({ id }) => id === '5/valid-key-chat') ?? {}
  return code === 'unexpected-status' && params['actualStatus'] === 401
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

function hasFailure({ checks }: ConformanceDocument, ids: readonly string[]): boolean {
  return checks.some(({ id, verdict }) => verdict === 'fail' && ids.includes(id))
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

/**
 * Checks before the first request that the target file can be written.
 * @throws CommandLineError if it cannot
 */
export async function checkTargetFile({ file = INIT_TABLE.file.default, force, json }: InitValues): Promise<void> {
  if (json === true) return
  const exists = await fileExists(file)
  if (exists && !(await stat(file)).isFile())
    throw new CommandLineError(`--file ${file} is a directory or a device. Give the name of a file.`)
  if (exists && force !== true) throw fileExistsError(file)
  const folder = await stat(dirname(file)).catch(() => undefined)
  if (folder?.isDirectory() !== true)
    throw new CommandLineError(`--file ${file}: there is no directory ${dirname(file)}.`)
  await tryToWrite(file, exists)
}

function fileExists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/**
 * Opens the file for writing. Checking permissions would not detect a name that is too long or a read-only file system.
 */
async function tryToWrite(file: string, exists: boolean): Promise<void> {
  const handle = await open(file, exists ? 'a' : 'wx').catch((error: unknown) => {
    throw unwritableFileError(file, error)
  })
  await handle.close()
  if (!exists) await rm(file)
}

function unwritableFileError(file: string, error: unknown): CommandLineError {
  const code = error instanceof Error && 'code' in error ? error.code : error
  if (code === 'EEXIST') return fileExistsError(file)
  return new CommandLineError(`--file ${file} cannot be written (${String(code)}). Choose another path.`)
}

function fileExistsError(file: string): CommandLineError {
  return new CommandLineError(
    `--file ${file} already exists. Choose another name with --file, or overwrite it with --force.`,
  )
}

/**
 * Writes the target file.
 * @returns a message with the path of the file and the next steps
 * @throws CommandLineError if the file exists, or the file system's error
 */
export async function saveTargetFile(
  { draft, untriedModels, faults }: Exclude<ProbeResult, { problem: string }>,
  { file = INIT_TABLE.file.default, force }: InitValues,
): Promise<string> {
  const schema = findSchemaReference(file, process.cwd())
  const contents = schema === undefined ? draft : { $schema: schema, ...draft }
  // A rename would replace a symbolic link instead of its file.
  const path = await realpath(file).catch(() => file)
  await writeFileAtomically(path, serializeDocument(contents), async () => {
    if (force !== true && (await fileExists(file))) throw fileExistsError(file)
  })
  const { keys = {}, headers = {}, operations = {}, declares = {} } = draft
  const secrets = Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : [value.env]))
  const variables = [...Object.values(keys), ...secrets]
  const absent = Object.keys(operations)
  const recorded = Object.keys(declares).length
  return [
    `${file}: ${describeModels(draft)}, and ${recorded} unspecified ${recorded === 1 ? 'behaviour' : 'behaviours'} recorded.`,
    ...describeDifferences(draft),
    ...(untriedModels === 0
      ? []
      : [`init did not test ${untriedModels} other listed models and did not add them to the file.`]),
    ...(absent.length === 0
      ? []
      : [
          `These operations failed and are recorded as not offered: ${absent.join(', ')}. If the deployment should offer one of them, remove it from "operations".`,
        ]),
    ...describeUnservedOperations(draft),
    ...describeOtherStatuses(declares),
    ...describeFaults(faults),
    ...missingKeys(draft),
    'Review the file. Later runs report a failure if the target no longer behaves as "declares" states.',
    ...(variables.length === 0 ? [] : [`A run reads these environment variables: ${variables.join(', ')}.`]),
    `Next: ${formatCommand('conformance', `--target ${file}`)}`,
    '',
  ].join('\n')
}

/** Lists the differences in the file, which the owner has to confirm. */
function describeDifferences({ differences = {} }: TargetFileDraft): string[] {
  const lines = listDeclaredDifferences(differences).map(({ name, text, why }) => `  ${text} ("${name}": ${why})`)
  return lines.length === 0
    ? []
    : [
        'The server differs from the specification. Confirm that each difference is intended, and write the reason in "why":',
        ...lines,
      ]
}

/** Lists what looks like a fault, with the line that would excuse each. */
function describeFaults(faults: readonly CauseEntry[]): string[] {
  const lines = faults.flatMap(({ id, title }) => [
    `  ${title}`,
    ...(id === undefined ? [] : [`    { "id": ${JSON.stringify(id)}, "reason": "…" }`]),
  ])
  return lines.length === 0
    ? []
    : ['Not recorded, because it looks like a fault. If it is intended, add the line to "knownFailures":', ...lines]
}

function describeModels({ models, differences }: TargetFileDraft): string {
  if (models === undefined && differences?.unknownModels?.value === 'served') return 'any model of the target'
  if (!isList(models)) return `models for ${Object.keys(models ?? {}).join(', ') || 'no operation'}`
  const operations = new Set(models.flatMap((model) => model.operations ?? []))
  return `${models.length} ${models.length === 1 ? 'model' : 'models'} of the target for ${[...operations].join(', ') || 'no operation'}`
}

/** Names the operations that the file neither has a model for nor records as not offered, because they broke down. */
function describeUnservedOperations({ models = {}, operations = {}, differences }: TargetFileDraft): string[] {
  // The file contains no models if the target serves any name.
  if (differences?.unknownModels?.value === 'served') return []
  const served = isList(models) ? models.flatMap((model) => model.operations ?? []) : Object.keys(models)
  const unserved = ['chat', 'images', 'transcriptions', 'speech'].filter(
    (name) => !served.includes(name) && operations[name] !== false,
  )
  const line = `"operations": { ${unserved.map((name) => `"${name}": false`).join(', ')} }`
  return unserved.length === 0
    ? []
    : [
        `init found no working model for ${unserved.join(', ')}. If the deployment does not offer this, add ${line} to the file.`,
      ]
}

/** Names the recorded statuses that the specification does not name, because clients may not expect them. */
function describeOtherStatuses(declares: NonNullable<TargetFileDraft['declares']>): string[] {
  const known: readonly number[] = ERROR_STATUSES.map(({ code }) => code)
  const others = Object.entries(declares).flatMap(([id, value]) => {
    const status = typeof value === 'object' && value !== null && 'rejected' in value ? Number(value['rejected']) : 0
    return status === 0 || known.includes(status) ? [] : [{ id, status }]
  })
  return [...Map.groupBy(others, ({ status }) => status)].map(
    ([status, entries]) =>
      `Section 7 of the specification does not name status ${status}, which the target returned for ${entries.map(({ id }) => id).join(', ')}. The file records the returned status.`,
  )
}

function isList(models: TargetFileDraft['models']): models is readonly DeclaredModel[] {
  return Array.isArray(models)
}

/**
 * Describes the missing keys without which a run is incomplete, and how to declare that the deployment lacks the
 * feature.
 */
function missingKeys({ keys = {}, credits, rateLimit }: TargetFileDraft): string[] {
  const gaps = [
    { key: 'no-credits', flag: '--no-credits-key', feature: 'credits', field: 'credits', isAbsent: credits === false },
    { key: 'limited', flag: '--limited-key', feature: 'rate limit', field: 'rateLimit', isAbsent: rateLimit === false },
  ]
  return gaps
    .filter(({ key, isAbsent }) => keys[key] === undefined && !isAbsent)
    .map(
      ({ flag, feature, field }) =>
        `Without ${flag} a run is incomplete. If the deployment has no ${feature}, add "${field}": false to the file.`,
    )
}

const SCHEMA_FILE = fileURLToPath(new URL('../conformance/targets/target.schema.json', import.meta.url))

/**
 * Returns the value of `$schema` for a target file: the relative path of the schema, from which editors read it.
 * Returns undefined if the schema is outside the project, because other machines would not have it at this path.
 * @param project the directory of the project, which contains the clone or `node_modules`
 */
export function findSchemaReference(file: string, project: string, schema: string = SCHEMA_FILE): string | undefined {
  if (isOutside(schema, project)) return undefined
  const path = relative(dirname(resolve(project, file)), schema)
    .split(sep)
    .join('/')
  return path.startsWith('../') ? path : `./${path}`
}

function isOutside(path: string, directory: string): boolean {
  const fromDirectory = relative(directory, path)
  return fromDirectory.startsWith('..') || isAbsolute(fromDirectory)
}
