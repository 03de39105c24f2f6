import { access, open, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  checksForDraft,
  draftTargetFile,
  planConformance,
  runConformance,
  type RunProgress,
  UsageError,
} from '../conformance/run-conformance.ts'
import { documentText } from '../reports/write-document.ts'
import { conformanceOptions } from './conformance-options.ts'
import { spellCommand } from './spell-command.ts'
import { KEY_VARIABLES, type KeyFlags, keysByRole } from './target-options.ts'

/** The flags of `touchstone init` as commander gives them, environment included. */
export interface InitFlags extends KeyFlags {
  readonly target?: string
  readonly header?: readonly string[]
  readonly ca?: string
  readonly insecure?: true
  readonly maxCredits?: number
  readonly file: string
  readonly force?: true
  readonly json?: true
}

/** A target file, or why the target could not be asked. */
export type Asked = { readonly draft: ReturnType<typeof draftTargetFile> } | { readonly problem: string }

interface Hooks {
  readonly signal: AbortSignal
  onForecast(requests: number): void
  onProgress(progress: RunProgress): void
}

/** Asks a deployment what a target file tells of it. @throws UsageError */
export async function askTarget(flags: InitFlags, { signal, onForecast, onProgress }: Hooks): Promise<Asked> {
  const { target, key, header = [] } = flags
  if (target === undefined || key === undefined) {
    const missing = target === undefined ? '--target URL or TOUCHSTONE_TARGET' : '--key KEY or TOUCHSTONE_KEY'
    throw new UsageError(`What is asked needs an address and a key: give ${missing}.`)
  }
  const { file: _file, force: _force, json: _json, ...same } = flags
  const usual = { timeoutMs: 20_000, maxSeconds: 300, concurrency: 4, front: 'direct', out: '' } as const
  const options = { ...(await conformanceOptions({ ...same, ...usual })), only: checksForDraft() }
  onForecast(planConformance(options).forecast.requests)
  const { document } = await runConformance({ ...options, signal, onProgress })
  const { problem } = document.target
  if (problem !== undefined) return { problem }
  if (signal.aborted) return { problem: 'Interrupted before the target had answered: nothing was written.' }
  const given = Object.keys(keysByRole(flags)) as (keyof typeof KEY_VARIABLES)[] // the names of that very object
  const keys = Object.fromEntries(given.map((role) => [role, KEY_VARIABLES[role]]))
  const headers = Object.fromEntries(header.map((line) => [nameOf(line), variableOf(nameOf(line))]))
  return { draft: draftTargetFile(document, { keys, headers }) }
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':')).trim().toLowerCase()
}

function variableOf(header: string): string {
  return `TOUCHSTONE_HEADER_${header.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
}

/** Finds out whether the file can be written, before anything is sent. @throws UsageError */
export async function checkTargetFile({ file, force, json }: InitFlags): Promise<void> {
  if (json === true) return
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (exists && force !== true) throw alreadyThere(file)
  const folder = await stat(dirname(file)).catch(() => undefined)
  if (folder?.isDirectory() !== true) throw new UsageError(`--file ${file}: there is no folder ${dirname(file)}.`)
  await tryToWrite(file, exists)
}

/** Opens it as it will be opened: rights alone do not tell of a name too long, or of a file system that takes no files. */
async function tryToWrite(file: string, exists: boolean): Promise<void> {
  const handle = await open(file, exists ? 'a' : 'wx').catch((error: unknown) => {
    throw unwritable(file, error)
  })
  await handle.close()
  if (!exists) await rm(file)
}

function unwritable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && 'code' in error ? error.code : error
  if (code === 'EEXIST') return alreadyThere(file)
  return new UsageError(`--file ${file} cannot be written (${String(code)}): name another.`)
}

function alreadyThere(file: string): UsageError {
  return new UsageError(`${file} is there already: name another with --file, or overwrite it with --force.`)
}

/** Writes it where nothing is yet. @returns what was written and what to do next. @throws UsageError */
export async function saveTargetFile(
  { draft }: Exclude<Asked, { problem: string }>,
  { file, force }: InitFlags,
): Promise<string> {
  await writeFile(file, documentText(draft), { flag: force === true ? 'w' : 'wx' }).catch((error: unknown) => {
    throw unwritable(file, error)
  })
  const { keys = {}, headers = {}, models = {}, declares = {} } = draft
  const variables = [...Object.values(keys), ...Object.values(headers).map(({ env }) => env)]
  return [
    `${file}: models for ${Object.keys(models).join(', ') || 'nothing'}, and ${Object.keys(declares).length} answers where the document is silent.`,
    'Read it: what stands under "declares" is what the target does today, and what it is held to from now on.',
    `It takes from the environment: ${variables.join(', ')}.`,
    `Next: ${spellCommand('conformance', `--target ${file}`)}`,
    '',
  ].join('\n')
}
