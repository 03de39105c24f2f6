import { createHash } from 'node:crypto'
import { access, readdir, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareDirectory } from '../../common/prepare-directory.ts'
import type { K6Lookup } from './k6-lookup.ts'
import { getK6FileName } from './platform-package.ts'
import { runProgram } from './run-program.ts'
import { createTemporaryDirectory } from './temporary-directory.ts'

const EXTENSION = fileURLToPath(new URL('../../scenarios/extension', import.meta.url))

/**
 * Flags with which `go build` produces identical bytes from identical sources in any directory. The Dockerfile uses the
 * same flags, so that both builds share Go's build cache.
 */
export const GO_BUILD_FLAGS = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w'] as const

export interface K6Search {
  /** Path of a k6 binary that the user set. */
  readonly path?: string | undefined
  /** Directory of k6 binaries that were built earlier. Default: the user's cache directory. */
  readonly cacheDirectory?: string | undefined
  /** The `package.json` that lists the digests of the platform packages. Default: the manifest of touchstone. */
  readonly manifest?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  /** Whether to keep what Go stores in caches that did not exist before, for other Go commands. Default: false. */
  readonly keepsGoCaches?: boolean | undefined
  /** Called once per second during the build of k6. */
  onBuilding?(progress: K6BuildProgress): void
}

/** Progress of a build of k6. With filled caches of Go, a build downloads and compiles less. */
export interface K6BuildProgress {
  /** Seconds since the start of the build. */
  readonly elapsedS: number
  readonly downloadedModules: number
  readonly compiledPackages: number
}

/**
 * Returns the cache path of the k6 that belongs to the current sources of the extension, and whether the file exists.
 */
export async function findCachedK6(directory: string): Promise<{ path: string; exists: boolean }> {
  const path = join(directory, await hashSources(EXTENSION), getK6FileName(process.platform))
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  return { path, exists }
}

/** Returns a short hash of all inputs of the build: the platform, Go files except tests, go.mod and go.sum. */
async function hashSources(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && /(?:(?<!_test)\.go|^go\.(?:mod|sum))$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const path of paths) {
    hash.update(`\n${relative(directory, path)}\n`).update(await readFile(path))
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * Builds k6 with the Go on the PATH. If two builds run concurrently, both succeed, and the later one replaces the file.
 *
 * Uses Go's caches if they exist. Otherwise nobody else uses Go on this machine, so the build puts what it downloads and
 * compiles (about 0.9 GB) into temporary caches, and removes them.
 */
export async function buildK6({
  target,
  environment,
  signal,
  keepsGoCaches = false,
  onBuilding,
}: K6Search & { readonly target: string }): Promise<K6Lookup> {
  const directory = dirname(target)
  const problem = await prepareDirectory(directory).catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
  if (problem !== undefined) return { finding: { code: 'k6-cache-not-writable', params: { directory, problem } } }
  // Contains the files of Go, which Go does not remove if it is killed, and the new k6.
  using temporary = await createTemporaryDirectory('.touchstone-build-', directory)
  const draft = join(temporary.path, basename(target))
  const startedMs = performance.now()
  let printed = ''
  const tick = () =>
    onBuilding?.({
      elapsedS: Math.round((performance.now() - startedMs) / 1000),
      downloadedModules: printed.match(DOWNLOAD_LINE)?.length ?? 0,
      compiledPackages: printed.match(PACKAGE_LINE)?.length ?? 0,
    })
  tick()
  const timer = setInterval(tick, 1000)
  const caches = keepsGoCaches ? {} : await createMissingCaches(temporary.path, { environment, signal })
  const args = ['build', '-v', '-modcacherw', ...GO_BUILD_FLAGS, '-o', draft, '.']
  const { exitCode, stderr } = await runProgram('go', args, {
    cwd: EXTENSION,
    env: { ...environment, ...caches, CGO_ENABLED: '0', GOTMPDIR: temporary.path },
    signal,
    onStderr: (text) => (printed += text),
  })
  clearInterval(timer)
  if (exitCode !== 0) {
    const messages = stderr.replaceAll(PACKAGE_LINE, '').trim()
    const lastLine = messages.split('\n').at(-1) ?? ''
    return { finding: { code: 'k6-build-failed', params: { message: lastLine.slice(0, 200) } } }
  }
  await rename(draft, target)
  return { path: target }
}

/** Line in which Go names a module that it downloads. */
const DOWNLOAD_LINE = /^go: downloading .+$/gm
/** Line in which Go names a package that it compiles, because of `-v`. */
const PACKAGE_LINE = /^[^\s:#]+$/gm

/**
 * Names temporary directories for those caches of Go that do not exist.
 * @returns environment variables
 */
async function createMissingCaches(
  directory: string,
  { environment, signal }: Pick<K6Search, 'environment' | 'signal'>,
): Promise<Readonly<Record<string, string>>> {
  const names = ['GOCACHE', 'GOMODCACHE']
  const { stdout } = await runProgram('go', ['env', ...names], { env: environment, signal })
  const paths = stdout.trim().split(/\r?\n/)
  const entries = await Promise.all(
    names.map(async (name, index) => {
      const isMissing = await access(paths[index] ?? '').then(
        () => false,
        () => true,
      )
      return isMissing ? [[name, join(directory, name)]] : []
    }),
  )
  return Object.fromEntries(entries.flat())
}
