import { homedir } from 'node:os'
import { join } from 'node:path'
import { LoadUsageError } from '../options/invalid-option-error.ts'
import { buildK6, cachedK6 } from './build-k6.ts'
import { runProgram } from './run-program.ts'

/** Oldest Go that builds k6. */
const LEAST_GO = [1, 25] as const

/** Where k6 may come from. */
export interface K6Wishes {
  /** `--k6` or `TOUCHSTONE_K6`. */
  readonly path?: string | undefined
  /** Where built ones are kept; default: the user's cache. */
  readonly cacheDirectory?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  /** Called once a second while it is built. */
  onBuilding?(elapsedS: number): void
}

/** A k6 that has the extension, or one sentence that says why there is none and what to do. */
export type K6 = { readonly path: string } | { readonly problem: string }

/**
 * The k6 that was asked for, else one that was built before, else one built now with Go.
 * @throws LoadUsageError when the one that was asked for cannot be used
 */
export async function findOrBuildK6(wishes: K6Wishes): Promise<K6> {
  const { path, environment } = wishes
  if (path !== undefined && path !== '') return { path: await checkGivenK6(path) }
  const cached = await builtK6(wishes)
  if (cached.isThere) return { path: cached.path }
  const go = await findGo(environment)
  if (go === undefined) {
    return {
      problem: `There is no k6 to make load with: put Go ${LEAST_GO.join('.')} or later on the PATH, and it is built once by itself, or name one that has the extension with --k6 PATH or TOUCHSTONE_K6 (scenarios/extension/README.md says how to build it elsewhere).`,
    }
  }
  return buildK6({ ...wishes, target: cached.path })
}

/** Where the k6 that was built before lies, or would lie. */
export function builtK6({
  cacheDirectory,
  environment,
}: Pick<K6Wishes, 'cacheDirectory' | 'environment'>): Promise<{ readonly path: string; readonly isThere: boolean }> {
  // A variable of the environment that is empty says nothing.
  return cachedK6(cacheDirectory || usualCache(environment))
}

async function checkGivenK6(path: string): Promise<string> {
  const { exitCode, stdout } = await runProgram(path, ['version'], {})
  if (exitCode !== 0 || !stdout.startsWith('k6')) {
    throw new LoadUsageError(`--k6 ${path} is no k6 that runs here: name its binary, or leave it out to have it built.`)
  }
  if (!stdout.includes('k6/x/touchstone')) {
    throw new LoadUsageError(
      `--k6 ${path} lacks the extension k6/x/touchstone: build it from scenarios/extension, or leave --k6 out to have it built.`,
    )
  }
  return path
}

async function findGo(environment: K6Wishes['environment']): Promise<string | undefined> {
  const { exitCode, stdout } = await runProgram('go', ['env', 'GOVERSION'], { env: environment })
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout) ?? []
  if (exitCode !== 0 || major === undefined || minor === undefined) return undefined
  const isEnough = Number(major) > LEAST_GO[0] || Number(minor) >= LEAST_GO[1]
  return isEnough ? stdout.trim() : undefined
}

function usualCache(environment: K6Wishes['environment']): string {
  const base = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache')
  return join(base, 'touchstone', 'k6')
}
