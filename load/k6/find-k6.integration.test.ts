import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBuiltK6, findOrBuildK6 } from './find-k6.ts'

/** A Go of our own make, and an empty cache. */
async function machine(build: string): Promise<{ cacheDirectory: string; environment: { PATH: string } }> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-go-'))
  const go = `#!/bin/sh\nif [ "$1" = env ]; then echo go1.99.0; exit 0; fi\n${build}\n`
  await writeFile(join(directory, 'go'), go, { mode: 0o755 })
  return { cacheDirectory: join(directory, 'cache'), environment: { PATH: `${directory}:/usr/bin:/bin` } }
}

/** The words before `.` in `go build … -o DRAFT .` */
const WRITE_DRAFT = 'while [ "$1" != -o ]; do shift; done; echo binary > "$2"'

test('builds k6 once, and finds it the next time', async () => {
  const wishes = await machine(WRITE_DRAFT)
  const built = await findOrBuildK6(wishes)
  expect(built).toEqual({ path: (await findBuiltK6(wishes)).path })
  expect(await findOrBuildK6({ ...wishes, environment: { PATH: '' } })).toEqual(built)
})

test('gives k6 to two concurrent builds, without leftovers', async () => {
  const wishes = await machine(`sleep 0.2; ${WRITE_DRAFT}`)
  const [first, second] = await Promise.all([findOrBuildK6(wishes), findOrBuildK6(wishes)])
  expect(first).toEqual(second)
  expect(first).toHaveProperty('path')
  expect(await readdir(join(wishes.cacheDirectory, (await readdir(wishes.cacheDirectory))[0] ?? ''))).toEqual(['k6'])
})

test.each([
  ['what Go said last', 'echo first >&2; echo "no network" >&2; exit 1', undefined, '(no network)'],
  ['where it cannot be kept', WRITE_DRAFT, '/dev/null/cache', 'k6 cannot be kept at /dev/null/cache'],
])('reports in one sentence %s', async (_name, build, cacheDirectory, words) => {
  const wishes = await machine(build)
  const k6 = await findOrBuildK6(cacheDirectory === undefined ? wishes : { ...wishes, cacheDirectory })
  expect(k6).toEqual({ problem: expect.stringContaining(words) })
})

test.runIf(process.platform === 'linux')('reports a file system that stores nothing, and does not hang', async () => {
  const wishes = { ...(await machine(WRITE_DRAFT)), cacheDirectory: '/proc/nowhere/cache' }
  expect(await findOrBuildK6(wishes)).toEqual({ problem: expect.stringContaining('TOUCHSTONE_CACHE') })
})

test('names both remedies when Go is missing', async () => {
  const { cacheDirectory } = await machine('')
  const k6 = await findOrBuildK6({ cacheDirectory, environment: { PATH: '' } })
  expect(k6).toEqual({ problem: expect.stringMatching(/put Go 1\.25 .* --k6 PATH or TOUCHSTONE_K6/) })
})

test('reports an interrupted build as ended early', async () => {
  const wishes = await machine('exec sleep 20')
  const k6 = findOrBuildK6({ ...wishes, signal: AbortSignal.timeout(300) })
  expect(await k6).toEqual({ problem: expect.stringContaining('The run was ended early') })
})

test.each<[string, Record<string, string>, string]>([
  ['the cache of the user', { XDG_CACHE_HOME: '/cache', HOME: '/me' }, '/cache/touchstone/k6/'],
  ['his home', { XDG_CACHE_HOME: '', HOME: '/me' }, '/me/.cache/touchstone/k6/'],
])('caches k6 in %s', async (_name, environment, place) => {
  const { path, isThere } = await findBuiltK6({ cacheDirectory: '', environment })
  expect(path.startsWith(place)).toBe(true)
  expect(isThere).toBe(false)
})
