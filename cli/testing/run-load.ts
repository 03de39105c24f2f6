import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmulatorOptions, readOptions } from '../../emulator/start-emulator.ts'
import type { LoadDocument } from '../../reports/load-document.ts'
import { type CliOptions, type CliRun, runCli } from './run-cli.ts'

/** A run of `touchstone load`, with its document if it wrote one. */
export interface LoadRun extends CliRun {
  readonly load: LoadDocument | undefined
}

/** Replacements for words of a command line that only a running test knows: addresses and keys. */
export type Substitutions = Readonly<Record<string, string>>

/** Runs `touchstone load`. An emulator that it starts responds without delay. */
export async function runLoad(
  line: string,
  { k6, known, env, ...options }: CliOptions & { readonly k6: string; readonly known: Substitutions },
): Promise<LoadRun> {
  const out = await mkdtemp(join(tmpdir(), 'touchstone-load-run-'))
  const words = line.split(' ').map((word) => known[word] ?? word)
  const run = await runCli(['load', '--out', out, ...words], {
    env: { TOUCHSTONE_K6: k6, TOUCHSTONE_EMULATOR_LATENCY: 'instant', ...env },
    ...options,
  })
  const [name] = (await readdir(out)).filter((file) => file.endsWith('.json'))
  if (name === undefined) return { ...run, load: undefined }
  // The command wrote it a moment ago, from a value of this type.
  return { ...run, load: JSON.parse(await readFile(join(out, name), 'utf8')) as LoadDocument }
}

/** Settings of an emulator by the names of its flags. */
export function emulatorSettings(values: Readonly<Record<string, unknown>>): EmulatorOptions {
  return readOptions(Object.entries(values))
}

/** A machine with much else to do starts late, and that is not the subject. */
export const ANY_LAG = '--budget start_lag.p50<=60s'

/** Building k6 for the first time on a machine takes minutes. */
export const BUILD_MS = 600_000
export const SLOW_TEST_MS = 120_000
