import { homedir } from 'node:os'
import { join } from 'node:path'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { buildK6, findCachedK6, type K6Search } from './build-k6.ts'
import type { K6Lookup } from './k6-lookup.ts'
import { findPackagedK6, findReleasedPackage } from './platform-package.ts'
import { runProgram } from './run-program.ts'

/** Oldest version of Go that can build k6. */
const MIN_GO = [1, 25] as const

/**
 * Finds k6: the file at `path` if given, otherwise a cached k6, otherwise the k6 of the installed platform package.
 * Builds k6 with Go if none is found.
 * @throws InvalidOptionError if the k6 at `path` cannot be used
 */
export async function findOrBuildK6(search: K6Search): Promise<K6Lookup> {
  const found = await findK6(search)
  return 'target' in found ? buildK6({ ...search, target: found.target }) : found
}

/**
 * Finds k6 without building it.
 * @returns the version of the Go that can build k6 at `target`, if none is found
 * @throws InvalidOptionError if the k6 at `path` cannot be used
 */
export async function findK6(search: K6Search): Promise<K6Lookup | { readonly go: string; readonly target: string }> {
  const { path, environment, signal } = search
  if (path !== undefined && path !== '') return { path: await checkGivenK6(path, signal) }
  const cached = await findBuiltK6(search)
  if (cached.exists) return { path: cached.path }
  const packaged = await findPackagedK6(search.manifest)
  if (packaged !== undefined) return packaged
  const go = await findGo(environment, signal)
  if (go !== undefined) return { go, target: cached.path }
  const packageName = await findReleasedPackage(search.manifest)
  return { finding: { code: 'k6-missing', params: { minGo: MIN_GO.join('.'), packageName } } }
}

/** Returns the cache path of the k6 that belongs to the current sources, and whether the file exists. */
export function findBuiltK6({
  cacheDirectory,
  environment,
}: Pick<K6Search, 'cacheDirectory' | 'environment'>): Promise<{ readonly path: string; readonly exists: boolean }> {
  // An empty environment variable counts as unset.
  return findCachedK6(cacheDirectory || defaultCache(environment))
}

async function checkGivenK6(path: string, signal: AbortSignal | undefined): Promise<string> {
  const { exitCode, stdout } = await runProgram(path, ['version'], { signal })
  if (exitCode === 0 && stdout.includes('k6/x/touchstone')) return path
  // k6 prints its file name, which may not be `k6`, its version and the version of Go.
  const isK6 = exitCode === 0 && / v\d+\.\d+\.\d+\S* \(.*\bgo\d/.test(stdout)
  throw invalidK6(
    path,
    isK6
      ? `${path} lacks the extension k6/x/touchstone: build it from scenarios/extension, or omit it, so that touchstone builds k6.`
      : `${path} is not a k6 binary that runs on this machine: give another path, or omit it, so that touchstone builds k6.`,
  )
}

function invalidK6(value: string, problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: 'k6', value, problem })
}

async function findGo(
  environment: K6Search['environment'],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { exitCode, stdout } = await runProgram('go', ['env', 'GOVERSION'], { env: environment, signal })
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout) ?? []
  if (exitCode !== 0 || major === undefined || minor === undefined) return undefined
  const isEnough = Number(major) > MIN_GO[0] || Number(minor) >= MIN_GO[1]
  return isEnough ? stdout.trim() : undefined
}

function defaultCache(environment: K6Search['environment']): string {
  const base = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache')
  return join(base, 'touchstone', 'k6')
}
