import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmulatorOptions, readOptions } from '../../emulator/start-emulator.ts'
import type { LoadDocument } from '../../reports/load-document.ts'
import { beforeAll, beforeEach } from 'vitest'
import { type CliOptions, type CliResult, runCli } from './run-cli.ts'
import { findTestK6, type TestK6 } from './test-k6.ts'

export interface LoadResult extends CliResult {
  readonly load: LoadDocument | undefined
}

/**
 * Values for placeholders in a command line, keyed by placeholder, such as addresses and keys of running test servers.
 */
export type PlaceholderValues = Readonly<Record<string, string>>

export interface LoadRunOptions extends CliOptions {
  readonly known?: PlaceholderValues
}

/**
 * Finds or builds k6 before the tests of a file, which are skipped without k6.
 * @returns a function that runs `touchstone load`. The built-in emulator, if used, responds without added latency
 */
export function useK6(): (line: string, options?: LoadRunOptions) => Promise<LoadResult> {
  let k6: TestK6 = { problem: 'not searched' }
  beforeAll(async () => {
    k6 = await findTestK6()
  }, K6_BUILD_TIMEOUT_MS)
  beforeEach((context) => {
    if ('problem' in k6) context.skip(k6.problem)
  })
  return (line, options) => runLoad(line, 'path' in k6 ? k6.path : '', options)
}

async function runLoad(line: string, k6: string, { known = {}, env, ...options }: LoadRunOptions = {}) {
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
