import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadFinding } from '../findings/finding.ts'
import { runProgram } from './run-program.ts'

const EXTENSION = fileURLToPath(new URL('../../scenarios/extension', import.meta.url))

/** Where to look for k6, and how to build it. */
export interface K6Search {
  /** Path of a k6 binary, as given by the user. */
  readonly path?: string | undefined
  /** Directory of built k6 binaries; default: the user's cache. */
  readonly cacheDirectory?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  /** Called once a second while k6 is built. */
  onBuilding?(elapsedS: number): void
}

/** A k6 with the extension, or why there is none. */
export type K6 = { readonly path: string } | { readonly finding: LoadFinding }

/** Path of the k6 built from the present sources of the extension, and whether it exists. */
export async function findCachedK6(directory: string): Promise<{ path: string; isThere: boolean }> {
  const path = join(directory, await hashSources(EXTENSION), 'k6')
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  return { path, isThere }
}

/** Short hash of everything that goes into the binary: Go files without tests, and the list of modules. */
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

/** Builds k6 with the Go on the PATH. Two concurrent builds both succeed; the later one replaces the other's file. */
export async function buildK6({
  target,
  environment,
  signal,
  onBuilding,
}: K6Search & { readonly target: string }): Promise<K6> {
  const directory = dirname(target)
  const problem = await makeDirectory(directory).catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
  if (problem !== undefined) return { finding: { code: 'k6-cache-not-writable', params: { directory, problem } } }
  const draft = `${target}.${randomUUID()}.tmp`
  const startedMs = performance.now()
  const tick = () => onBuilding?.(Math.round((performance.now() - startedMs) / 1000))
  tick()
  const timer = setInterval(tick, 1000)
  // The same flags as in the Dockerfile: both share the compiler's cache, regardless of the path.
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', draft, '.']
  const env = { ...environment, CGO_ENABLED: '0' }
  const { exitCode, stderr } = await runProgram('go', args, { cwd: EXTENSION, env, signal })
  clearInterval(timer)
  if (exitCode !== 0) {
    await rm(draft, { force: true })
    if (signal?.aborted === true) return { finding: { code: 'k6-build-interrupted', params: {} } }
    const lastLine = stderr.trim().split('\n').at(-1) ?? ''
    return { finding: { code: 'k6-build-failed', params: { message: lastLine.slice(0, 200) } } }
  }
  await rename(draft, target)
  return { path: target }
}

/**
 * Creates a directory and its parents. `mkdir` with `recursive` never returns below /proc, where the kernel creates no directories.
 * `reports/prepare-directory.ts` does the same, but `load/` shares no code with it.
 */
async function makeDirectory(path: string): Promise<void> {
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    await makeDirectory(dirname(path))
    await mkdir(path).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again
    })
  })
}
