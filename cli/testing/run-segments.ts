import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadDocument } from '../../reports/load-document.ts'
import { type CliResult, runCli } from './run-cli.ts'

export async function readLoadDocument(path: string): Promise<LoadDocument> {
  // The cast is safe: the load command serializes this type.
  return JSON.parse(await readFile(path, 'utf8')) as LoadDocument
}

export interface SegmentsOptions {
  readonly target: string
  /** Returns the API key for all segments. Called again if they run again, because the first attempt spent credits. */
  getKey(): string
  readonly env: Readonly<Record<string, string>>
  readonly count: number
  /** Additional arguments of a segment, numbered from 0. */
  argumentsOf?(index: number): readonly string[]
}

/**
 * Runs all segments of a load concurrently with a common start time. On a busy machine, a segment may be ready too late
 * and exit with code 2 without sending requests. All segments then run again with more time to prepare.
 */
export async function runSegments({
  target,
  getKey,
  env,
  count,
  argumentsOf = () => [],
}: SegmentsOptions): Promise<{ directory: string; runs: readonly CliResult[] }> {
  for (const readyWithinS of [10, 40]) {
    const directory = await mkdtemp(join(tmpdir(), 'touchstone-parts-'))
    const key = getKey()
    const startAt = String(Date.now() / 1000 + readyWithinS)
    const line = `--target ${target} --rate 30 --duration 2s --budget ttft.p50<=60s --budget start_lag.p50<=60s`.split(
      ' ',
    )
    const runs = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const own = [
          ...argumentsOf(index),
          '--segment',
          `${index + 1}/${count}`,
          '--start-at',
          startAt,
          '--out',
          directory,
        ]
        const csv = ['--', '--out', `csv=${join(directory, `${index}.csv`)}`]
        return runCli(['load', ...line, '--key', key, ...own, ...csv], { env })
      }),
    )
    if (!runs.some(({ stdout, stderr }) => (stdout + stderr).includes('before this run was ready')))
      return { directory, runs }
  }
  throw new Error('The segments were not ready 40 s after they were started.')
}
