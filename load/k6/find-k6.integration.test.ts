import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { K6BuildProgress } from './build-k6.ts'
import { findBuiltK6, findOrBuildK6 } from './find-k6.ts'

/**
 * Creates a fake `go` program and an empty cache directory.
 * @param build shell commands that `go build` runs
 * @param env shell commands that `go env` runs before it prints the version
 */
async function createMachine(
  build: string,
  env = ':',
): Promise<{ cacheDirectory: string; environment: { PATH: string } }> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-go-'))
  const go = `#!/bin/sh\nif [ "$1" = env ]; then ${env}; echo go1.99.0; exit 0; fi\n${build}\n`
  await writeFile(join(directory, 'go'), go, { mode: 0o755 })
  return { cacheDirectory: join(directory, 'cache'), environment: { PATH: `${directory}:/usr/bin:/bin` } }
}

/** Shell commands that write the output file of `go build … -o DRAFT .` */
const WRITE_DRAFT = 'while [ "$1" != -o ]; do shift; done; echo binary > "$2"'

test('builds k6 once and reuses it the next time', async () => {
  const search = await createMachine(WRITE_DRAFT)
  const built = await findOrBuildK6(search)
  expect(built).toEqual({ path: (await findBuiltK6(search)).path })
  expect(await findOrBuildK6({ ...search, environment: { PATH: '' } })).toEqual(built)
})

/** Shell commands that store a file in each cache of Go, and record the paths of the caches. */
const FILL_CACHES = `
mkdir -p "\${GOCACHE:-elsewhere}" "\${GOMODCACHE:-elsewhere}"
echo 1 > "\${GOCACHE:-elsewhere}/file"
echo "$GOCACHE,$GOMODCACHE" > "$HOME/caches"`

test.each([
  ['removes the caches of a build of k6 if Go had none', [], {}, /^([^,]+)\/GOCACHE,\1\/GOMODCACHE$/],
  ['keeps the caches of a build of k6 if the caller wants them', [], { keepsGoCaches: true }, /^,$/],
  ['uses the cache of Go that exists', ['build'], {}, /^,[^,]+\/GOMODCACHE$/],
  ['uses the caches of Go if both exist', ['build', 'modules'], {}, /^,$/],
])('%s', async (_name, existing, options, caches) => {
  const home = await mkdtemp(join(tmpdir(), 'touchstone-home-'))
  await Promise.all(existing.map((name) => mkdir(join(home, name))))
  const print = `if [ "$2" = GOCACHE ]; then echo "$HOME/build"; echo "$HOME/modules"; exit 0; fi`
  const search = await createMachine(`cd "$HOME"; ${FILL_CACHES}\n${WRITE_DRAFT}`, print)
  const environment = { ...search.environment, HOME: home }
  expect(await findOrBuildK6({ ...search, ...options, environment })).toHaveProperty('path')
  expect((await readFile(join(home, 'caches'), 'utf8')).trim()).toMatch(caches)
  expect(await readdir(join(search.cacheDirectory, (await readdir(search.cacheDirectory))[0] ?? ''))).toEqual(['k6'])
})

test('reports the number of downloaded modules and of compiled packages of a build', async () => {
  const lines = [
    'go: downloading x v1.0.0',
    'go: downloading y v1.0.0',
    'example.com/x',
    'net/http',
    '# y',
    'a: b',
  ].join('\\n')
  const search = await createMachine(`printf '${lines}\\n' >&2; sleep 1.5; ${WRITE_DRAFT}`)
  const seen: K6BuildProgress[] = []
  await findOrBuildK6({ ...search, onBuilding: (progress) => seen.push(progress) })
  expect(seen[0]).toEqual({ elapsedS: 0, downloadedModules: 0, compiledPackages: 0 })
  expect(seen.at(-1)).toMatchObject({ downloadedModules: 2, compiledPackages: 2 })
})

test('two concurrent builds of k6 succeed without leftover files', async () => {
  const search = await createMachine(`sleep 0.2; ${WRITE_DRAFT}`)
  const [first, second] = await Promise.all([findOrBuildK6(search), findOrBuildK6(search)])
  expect(first).toEqual(second)
  expect(first).toHaveProperty('path')
  expect(await readdir(join(search.cacheDirectory, (await readdir(search.cacheDirectory))[0] ?? ''))).toEqual(['k6'])
})

test.each([
  [
    'the last line of Go',
    'echo first >&2; echo "no network" >&2; echo net/http >&2; exit 1',
    undefined,
    { code: 'k6-build-failed', params: { message: 'no network' } },
  ],
  [
    'the directory that cannot store k6',
    WRITE_DRAFT,
    '/dev/null/cache',
    {
      code: 'k6-cache-not-writable',
      params: { directory: expect.stringContaining('/dev/null/cache'), problem: 'ENOTDIR' },
    },
  ],
])('reports %s when a build fails', async (_name, build, cacheDirectory, finding) => {
  const search = await createMachine(build)
  const k6 = await findOrBuildK6(cacheDirectory === undefined ? search : { ...search, cacheDirectory })
  expect(k6).toEqual({ finding })
})

test('reports the required version of Go if Go is missing', async () => {
  const { cacheDirectory } = await createMachine('')
  const k6 = await findOrBuildK6({ cacheDirectory, environment: { PATH: '' } })
  expect(k6).toEqual({ finding: { code: 'k6-missing', params: { minGo: '1.25', packageName: null } } })
})

test('an aborted build of k6 leaves no process and no file', async () => {
  const search = await createMachine('mkdir "$GOTMPDIR/go-build"; sleep 1000 & echo $! > "$HOME/pid"; wait')
  const home = dirname(search.cacheDirectory)
  const environment = { ...search.environment, HOME: home }
  const controller = new AbortController()
  const built = findOrBuildK6({ ...search, environment, signal: controller.signal })
  const readPid = async () => Number(await readFile(join(home, 'pid'), 'utf8').catch(() => ''))
  await expect.poll(readPid).toBeGreaterThan(0)
  controller.abort()
  expect(await built).toHaveProperty('finding')
  await expect.poll(async () => isRunning(await readPid())).toBe(false)
  expect(await readdir(join(search.cacheDirectory, (await readdir(search.cacheDirectory))[0] ?? ''))).toEqual([])
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the package for this platform', () => {
  const name = `@touchstone/k6-${process.platform}-${process.arch}`

  /** Installs a fake platform package that contains these bytes, and a manifest that lists this digest for it. */
  async function install(bytes: string, sha256: string): Promise<{ manifest: string; path: string }> {
    const directory = await mkdtemp(join(tmpdir(), 'touchstone-k6-package-'))
    const manifest = join(directory, 'package.json')
    const path = join(directory, 'node_modules', name, 'bin', 'k6')
    await mkdir(dirname(path), { recursive: true })
    await writeFile(join(dirname(path), '..', 'package.json'), '{}')
    await writeFile(path, bytes)
    await writeFile(manifest, JSON.stringify({ k6: { [name]: sha256 } }))
    return { manifest, path }
  }
  const sha256 = createHash('sha256').update('released').digest('hex')

  test('uses the k6 of the platform package if none was built, also without Go', async () => {
    const { cacheDirectory } = await createMachine('')
    const { manifest, path } = await install('released', sha256)
    expect(await findOrBuildK6({ cacheDirectory, manifest, environment: { PATH: '' } })).toEqual({ path })
  })

  test('prefers a k6 that was built from these sources to the platform package', async () => {
    const search = await createMachine(WRITE_DRAFT)
    const built = await findOrBuildK6(search)
    expect(await findOrBuildK6({ ...search, ...(await install('released', sha256)), path: '' })).toEqual(built)
  })

  test('reports a platform package without its k6', async () => {
    const { manifest, path } = await install('released', sha256)
    await rm(path)
    const k6 = await findOrBuildK6({ ...(await createMachine(WRITE_DRAFT)), manifest })
    expect(k6).toEqual({ finding: { code: 'k6-package-unreadable', params: { name, path, problem: 'ENOENT' } } })
  })

  test('names the platform package if it is not installed, and Go is missing', async () => {
    const { manifest } = await install('released', sha256)
    await rm(join(dirname(manifest), 'node_modules'), { recursive: true })
    const k6 = await findOrBuildK6({ ...(await createMachine('')), manifest, environment: { PATH: '' } })
    expect(k6).toEqual({ finding: { code: 'k6-missing', params: { minGo: '1.25', packageName: name } } })
  })

  test('does not run the k6 of a changed platform package, even if Go could build k6', async () => {
    const { manifest, path } = await install('changed', sha256)
    const k6 = await findOrBuildK6({ ...(await createMachine(WRITE_DRAFT)), manifest })
    expect(k6).toEqual({ finding: { code: 'k6-package-changed', params: { name, path } } })
  })
})

test.each<[string, Record<string, string>, string]>([
  ['the XDG cache directory', { XDG_CACHE_HOME: '/cache', HOME: '/me' }, '/cache/touchstone/k6/'],
  ['the home directory', { XDG_CACHE_HOME: '', HOME: '/me' }, '/me/.cache/touchstone/k6/'],
])('caches k6 in %s', async (_name, environment, place) => {
  const { path, exists } = await findBuiltK6({ cacheDirectory: '', environment })
  expect(path.startsWith(place)).toBe(true)
  expect(exists).toBe(false)
})

describe('a given k6', () => {
  /** Creates a program that prints a line. */
  async function createProgram(name: string, line: string): Promise<string> {
    const path = join(await mkdtemp(join(tmpdir(), 'touchstone-given-k6-')), name)
    await writeFile(path, `#!/bin/sh\necho '${line}'\n`, { mode: 0o755 })
    return path
  }
  const find = (path: string) => findOrBuildK6({ path, environment: {} })

  test.each(['k6', 'my k6', 'touchstone-k6'])('is accepted if its file name is %s', async (name) => {
    const path = await createProgram(name, `${name} v2.2.0 (go1.26.8, linux/amd64) k6/x/touchstone (devel)`)
    expect(await find(path)).toEqual({ path })
  })

  test.each(['k6', 'stock-k6'])('is rejected without the extension if its file name is %s', async (name) => {
    const path = await createProgram(name, `${name} v2.2.0 (go1.26.8, linux/amd64)`)
    await expect(find(path)).rejects.toThrow('lacks the extension k6/x/touchstone')
  })

  test('is rejected if it is another program', async () => {
    const path = await createProgram('k6', 'k6 of another kind')
    await expect(find(path)).rejects.toThrow('is not a k6 binary that runs on this machine')
    await expect(find(`${path}-missing`)).rejects.toThrow('is not a k6 binary that runs on this machine')
  })
})
