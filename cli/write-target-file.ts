import { toJsonObject } from '../common/json-object.ts'
import { access, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ERROR_STATUSES } from '../contract/facts.ts'
import { type DeclaredModel, listDeclaredDifferences, type TargetFileDraft } from '../conformance/run-conformance.ts'
import type { CauseEntry } from '../reports/conformance-document.ts'
import { serializeDocument, writeFileAtomically } from '../reports/write-document.ts'
import { CommandLineError } from './command-line-error.ts'
import { formatCommand } from './format-command.ts'
import { INIT_TABLE, type InitValues, type ProbeResult } from './probe-target.ts'

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
  { file = INIT_TABLE.file.default, force, upstream }: InitValues,
): Promise<string> {
  const schema = findSchemaReference(file, process.cwd())
  const contents = {
    ...(schema === undefined ? {} : { $schema: schema }),
    ...draft,
    ...(faults.length === 0 ? {} : { knownFailures: [] }),
  }
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
    `Review the file. Later runs fail if the target departs from "declares" or "differences"${draft.policies === undefined ? '' : ', or a run with --upstream from "policies"'}.`,
    ...(variables.length === 0 ? [] : [`A run reads these environment variables: ${variables.join(', ')}.`]),
    `Next: ${formatCommand('conformance', `--target ${file}${upstream === undefined ? '' : ` --upstream ${upstream}`}`)}`,
    '',
  ].join('\n')
}

/** Lists the differences in the file, which the owner has to confirm. */
function describeDifferences({ differences = {} }: TargetFileDraft): string[] {
  const lines = listDeclaredDifferences(differences).map(({ name, text, why }) => `  ${text} ("${name}": ${why})`)
  return lines.length === 0
    ? []
    : [
        'The server differs from the specification. Delete the differences that are not intended, and replace each "why" with your reason:',
        ...lines,
      ]
}

/** Maximum number of failed checks of a cause that `init` lists one by one. */
const MAX_LISTED_CHECKS = 3

/** Lists what looks like a fault, with the lines that would excuse each. */
function describeFaults(faults: readonly CauseEntry[]): string[] {
  const lines = faults.flatMap(({ id, title, checks }) => {
    // The ID of a cause also excuses later failures with this cause, so a few checks are listed by their own IDs.
    const ids = id === undefined || checks.length <= MAX_LISTED_CHECKS ? checks : [id]
    return [`  ${title}`, ...ids.map((one) => `    { "id": ${JSON.stringify(one)}, "reason": "…" }`)]
  })
  return lines.length === 0
    ? []
    : [
        'These findings look like faults, so the file does not declare them. To accept one, add its lines to "knownFailures":',
        ...lines,
      ]
}

/** Returns whether the file names no model because the server accepts any name. */
function acceptsAnyModel({ models, differences }: TargetFileDraft): boolean {
  return models === undefined && differences?.unknownModels?.value === 'served'
}

function describeModels(draft: TargetFileDraft): string {
  const { models } = draft
  if (acceptsAnyModel(draft)) return 'no models, because the server accepts any name'
  if (!isList(models)) return `models for ${Object.keys(models ?? {}).join(', ') || 'no operation'}`
  const operations = new Set(models.flatMap((model) => model.operations ?? []))
  return `${models.length} ${models.length === 1 ? 'model' : 'models'} of the target for ${[...operations].join(', ') || 'no operation'}`
}

/** Names the operations that the file neither has a model for nor records as not offered, because they broke down. */
function describeUnservedOperations(draft: TargetFileDraft): string[] {
  if (acceptsAnyModel(draft)) return []
  const { models = {}, operations = {} } = draft
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
    const status = Number(toJsonObject(value)['rejected'] ?? 0)
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
