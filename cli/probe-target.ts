import { access, open, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  checksForDraft,
  draftTargetFile,
  OPTION_TABLE,
  planConformance,
  runConformance,
  type RunProgress,
} from '../conformance/run-conformance.ts'
import { serializeDocument } from '../reports/write-document.ts'
import type { OptionTable, OptionValues } from './options/option-table.ts'
import { readConformanceOptions, TARGET_TABLE } from './read-conformance-options.ts'
import { formatCommand } from './format-command.ts'
import { CommandLineError } from './command-line-error.ts'

export const INIT_TABLE = {
  ...TARGET_TABLE,
  headers: OPTION_TABLE.headers,
  ca: OPTION_TABLE.ca,
  insecure: OPTION_TABLE.insecure,
  maxCredits: OPTION_TABLE.maxCredits,
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

/** The options of `touchstone init` that the user gave. */
export type InitValues = OptionValues<typeof INIT_TABLE>

/** A target file, or why the target could not be probed. */
export type ProbeResult = { readonly draft: ReturnType<typeof draftTargetFile> } | { readonly problem: string }

interface Hooks {
  readonly signal: AbortSignal
  onForecast(requests: number): void
  onProgress(progress: RunProgress): void
}

/** Builds a target file from the behaviour of a deployment. @throws CommandLineError, InvalidOptionError */
export async function probeTarget(values: InitValues, { signal, onForecast, onProgress }: Hooks): Promise<ProbeResult> {
  const { file: _file, force: _force, json: _json, ...target } = values
  if (target.url === undefined || target['keys.funded'] === undefined) {
    const missing = target.url === undefined ? '--target URL or TOUCHSTONE_TARGET' : '--key KEY or TOUCHSTONE_KEY'
    throw new CommandLineError(`What is asked needs an address and a key: give ${missing}.`)
  }
  const run = { timeoutMs: 20_000, maxSeconds: 300, concurrency: 4 }
  const options = { ...(await readConformanceOptions({ ...target, ...run })), only: checksForDraft() }
  onForecast(planConformance(options).forecast.requests)
  const { document } = await runConformance({ ...options, signal, onProgress })
  const { problem } = document.target
  if (problem !== undefined) return { problem }
  if (signal.aborted) return { problem: 'Interrupted before the target had answered: nothing was written.' }
  const roles = (['funded', 'noCredits', 'limited'] as const).filter((role) => target[`keys.${role}`] !== undefined)
  const keys = Object.fromEntries(roles.map((role) => [role, OPTION_TABLE[`keys.${role}`].env]))
  const names = (target.headers ?? []).map(nameOf)
  const headers = Object.fromEntries(names.map((name) => [name, variableOf(name)]))
  return { draft: draftTargetFile(document, { keys, headers }) }
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':')).trim().toLowerCase()
}

function variableOf(header: string): string {
  return `TOUCHSTONE_HEADER_${header.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
}

/** Checks that the file can be written, before the first request. @throws CommandLineError */
export async function checkTargetFile({ file = INIT_TABLE.file.default, force, json }: InitValues): Promise<void> {
  if (json === true) return
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (exists && force !== true) throw fileExistsError(file)
  const folder = await stat(dirname(file)).catch(() => undefined)
  if (folder?.isDirectory() !== true) throw new CommandLineError(`--file ${file}: there is no folder ${dirname(file)}.`)
  await tryToWrite(file, exists)
}

/** Opens the file for writing: permissions alone do not show a name that is too long, or a read-only file system. */
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
  return new CommandLineError(`--file ${file} cannot be written (${String(code)}): name another.`)
}

function fileExistsError(file: string): CommandLineError {
  return new CommandLineError(`${file} is there already: name another with --file, or overwrite it with --force.`)
}

/** Writes the target file. @returns a text with the path and the next steps. @throws CommandLineError */
export async function saveTargetFile(
  { draft }: Exclude<ProbeResult, { problem: string }>,
  { file = INIT_TABLE.file.default, force }: InitValues,
): Promise<string> {
  await writeFile(file, serializeDocument(draft), { flag: force === true ? 'w' : 'wx' }).catch((error: unknown) => {
    throw unwritableFileError(file, error)
  })
  const { keys = {}, headers = {}, models = {}, declares = {} } = draft
  const variables = [...Object.values(keys), ...Object.values(headers).map(({ env }) => env)]
  return [
    `${file}: models for ${Object.keys(models).join(', ') || 'nothing'}, and ${Object.keys(declares).length} answers where the document is silent.`,
    'Read it: what stands under "declares" is what the target does today, and what it is held to from now on.',
    `It takes from the environment: ${variables.join(', ')}.`,
    `Next: ${formatCommand('conformance', `--target ${file}`)}`,
    '',
  ].join('\n')
}
