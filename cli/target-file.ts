import { readFile } from 'node:fs/promises'
import {
  type ConformanceOptions,
  inFile,
  planConformance,
  readKnownFailures,
  readTargetFile,
  UsageError,
} from '../conformance/run-conformance.ts'

/**
 * Lays options from flags and environment over those of a target file. Keys and headers are taken one by one; whatever
 * else is given takes the place of what the file says.
 * @throws UsageError when the file cannot be read, or says what cannot be
 */
export async function withTargetFile(
  { flag, file }: { readonly flag: '--target' | '--target-file'; readonly file: string },
  given: ConformanceOptions,
): Promise<ConformanceOptions> {
  const text = await readTextFile(flag, file)
  const keys = given.keys ?? {}
  const fromFile = readTargetFile(text, { name: file, environment: process.env, keys })
  inFile(file, () => planConformance(fromFile))
  const merged = {
    ...fromFile,
    ...given,
    keys: { ...fromFile.keys, ...keys },
    headers: [...fromFile.headers, ...(given.headers ?? [])],
    declarations: { ...fromFile.declarations, ...given.declarations },
  }
  if (merged.url === undefined) {
    throw new UsageError(`${file} names no url: add one, or give --target URL.`)
  }
  return merged
}

/** @throws UsageError when the list cannot be read */
export async function knownFailuresOf(file: string): Promise<ReturnType<typeof readKnownFailures>> {
  return readKnownFailures(await readTextFile('--known-failing', file), file)
}

async function readTextFile(flag: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${flag} ${file} cannot be read (${error.code ?? error.message}): name a file`)
  })
}
