import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.ts'

const EXTENSION = fileURLToPath(new URL('../../scenarios/extension', import.meta.url))

/** Where to look for k6, and how to build it. */
export interface K6Search {
  /** Path that the user gave. */
  readonly path?: string | undefined
  /** Directory of built k6 binaries; default: the user's cache. */
  readonly cacheDirectory?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  /** Called once a second while k6 is built. */
  onBuilding?(elapsedS: number): void
}

/** A k6 with the extension, or a sentence that says why there is none and what to do. */
export type K6 = { readonly path: string } | { readonly problem: string }

/** Where the k6 of these sources is, or would be, kept: another source has another place. */
export async function findCachedK6(directory: string): Promise<{ path: string; isThere: boolean }> {
  const path = join(directory, await hashSources(EXTENSION), 'k6')
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  return { path, isThere }
}

/** A short hash of all that goes into the binary: Go files but for tests, and the modules they use. */
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

/** Builds it with the Go on the PATH. Two that build at once both work, and the later one wins. */
export async function buildK6({
  target,
  environment,
  signal,
  onBuilding,
}: K6Search & { readonly target: string }): Promise<K6> {
  const blocked = await makeDirectory(dirname(target)).catch(
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  )
  if (blocked !== undefined) {
    return {
      problem: `k6 cannot be kept at ${dirname(target)} (${blocked}): name another place with TOUCHSTONE_CACHE, or a built one with --k6 PATH or TOUCHSTONE_K6.`,
    }
  }
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
    if (signal?.aborted === true)
      return { problem: 'The run was ended early, while k6 was being built: nothing was sent.' }
    const words = stderr.trim().split('\n').at(-1) ?? ''
    return {
      problem: `k6 could not be built from scenarios/extension (${words.slice(0, 200)}): its modules have to be reachable once, or name a built one with --k6 PATH or TOUCHSTONE_K6.`,
    }
  }
  await rename(draft, target)
  return { path: target }
}

/**
 * With those above it, step by step: Node's own way never ends where the kernel keeps a file system for itself, as in /proc.
 * `reports/prepare-directory.ts` does likewise, and may not be imported: what scenarios do they share with no other room.
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
