import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readRepositoryFiles } from './repository-files.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Files of the package outside dist/, which the build writes. */
const shipped = new Set(listShippedFiles())
const pages = [...shipped].filter((path) => path.endsWith('.md'))

/** Matches paths of sources, tests and measurements, which are only in the repository and only interest contributors. */
const CONTRIBUTORS_ONLY = /^(?:tests|bench|\.github)(?:\/|$)|\.(?:ts|mts|go)$/

/** Matches a path of a page or an example in a message. */
const PAGE_PATH = /(?<![\w/.])[\w-][\w.-]*\/[\w./-]*\.(?:md|yml|cfg)\b/g

/** Directories whose sources the package contains, compiled. */
const ROOMS = /^(?:cli|common|conformance|contract|emulator|load|reports|scenarios)\//

function listShippedFiles(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const printed = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  // npm prints either a list or an object keyed by package name, depending on its version.
  const value = JSON.parse(printed) as Readonly<
    Record<string, { readonly files: readonly { readonly path: string }[] }>
  >
  return Object.values(value).flatMap(({ files }) => files.map(({ path }) => path))
}

function isShipped(path: string): boolean {
  return shipped.has(path) || [...shipped].some((file) => file.startsWith(`${path}/`))
}

/** Returns the paths that a page links to, relative to the root of the package. */
function listLinks(page: string): string[] {
  const text = readFileSync(ROOT + page, 'utf8').replaceAll(/^ *```[^]*?^ *```$/gm, '')
  return [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => posix.normalize(posix.join(posix.dirname(page), link)).replace(/\/$/, ''))
}

test('the package contains every page that a message names', () => {
  const sources = readRepositoryFiles().filter(
    ({ path }) => ROOMS.test(path) && /\.(?:ts|js|py|html)$/.test(path) && !/\.test\.|\/testing\//.test(path),
  )
  const named = sources.flatMap(({ path, text }) => {
    const code = text.replaceAll(/^ *(?:\/\/|\*|\/\*).*$/gm, '')
    return (code.match(PAGE_PATH) ?? []).map((name) => ({ path, name }))
  })
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(({ name }) => !isShipped(name))).toEqual([])
})

test('the package contains every page that the README and the pages in the package link to', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/README.md']))
  const links = pages.flatMap((page) => listLinks(page).map((link) => ({ page, link })))
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(({ link }) => !CONTRIBUTORS_ONLY.test(link) && !isShipped(link))).toEqual([])
  const own = links.filter(({ page }) => page === 'README.md')
  expect(own.filter(({ link }) => !isShipped(link))).toEqual([])
})
