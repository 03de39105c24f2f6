import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmulatorOptions, readOptions } from '../../emulator/start-emulator.ts'
import type { LoadDocument } from '../../reports/load-document.ts'
import { type CliOptions, type CliResult, runCli } from './run-cli.ts'

export interface LoadResult extends CliResult {
  readonly load: LoadDocument | undefined
}

/**
 * Values for placeholders in a command line, keyed by placeholder, such as addresses and keys of running test servers.
 */
export type PlaceholderValues = Readonly<Record<string, string>>

/** Runs `touchstone load`. The built-in emulator, if used, responds without added latency. */
export async function runLoad(
  line: string,
  { k6, known, env, ...options }: CliOptions & { readonly k6: string; readonly known: PlaceholderValues },
): Promise<LoadResult> {
  const out = await mkdtemp(join(tmpdir(), 'touchstone-load-run-'))
  const words = line.split(' ').map((word) => known[word] ?? word)
  const run = await runCli(['load', '--out', out, ...words], {
    env: { TOUCHSTONE_K6: k6, TOUCHSTONE_EMULATOR_LATENCY: 'instant', ...env },
    ...options,
  })
  const [name] = (await readdir(out)).filter((file) => file.endsWith('.json'))
  if (name === undefined) return { ...run, load: undefined }
  // The cast is safe: the load command serializes this type.
  return { ...run, load: JSON.parse(await readFile(join(out, name), 'utf8')) as LoadDocument }
}

/** Reads emulator options from values in the format of the command line, keyed by option name. */
export function buildEmulatorOptions(values: Readonly<Record<string, unknown>>): EmulatorOptions {
  return readOptions(Object.entries(values))
}

/**
 * Budget that allows a median scheduling delay of up to 60 s. Tests that do not test the delay use it, because a busy
 * machine delays requests.
 */
export const PERMISSIVE_LAG_BUDGET = '--budget start_lag.p50<=60s'

/** Timeout for building k6 with empty caches. */
export const K6_BUILD_TIMEOUT_MS = 600_000
export const SLOW_TEST_TIMEOUT_MS = 120_000
