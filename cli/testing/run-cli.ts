import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConformanceDocument } from '../../reports/conformance-document.ts'

const PROGRAM = fileURLToPath(new URL('../bin.js', import.meta.url))

/** A finished run of the command. */
export interface CliRun {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** The document that it wrote; undefined when there is none. */
  readonly document: ConformanceDocument | undefined
}

/** How to run the command: with nothing of this process's environment but the path. */
export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Called with the process as soon as it runs. */
  onStart?(child: ChildProcess): void
}

/** Runs `touchstone` with arguments and waits for its end. Each run has a directory of its own for its report. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-cli-'))
  const env = { PATH: process.env['PATH'] ?? '', ...options.env }
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  options.onStart?.(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  await once(child, 'close')
  return { exitCode: child.exitCode, stdout, stderr, document: await readDocument(directory) }
}

async function readDocument(directory: string): Promise<ConformanceDocument | undefined> {
  const text = await readFile(join(directory, 'touchstone-report', 'conformance.json'), 'utf8').catch(() => undefined)
  // The command itself wrote it a moment ago, from a value of this type.
  return text === undefined ? undefined : (JSON.parse(text) as ConformanceDocument)
}
