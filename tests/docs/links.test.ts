import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readRepositoryFiles } from '../repository-files.ts'
import { readPages } from './read-pages.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const documents = readPages()

/** Returns the anchor that GitHub generates for a heading. */
function anchorOf(heading: string): string {
  const text = heading
    .trim()
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return text.replaceAll(/[^\p{L}\p{N}\- _]/gu, '').replaceAll(' ', '-')
}

/** Describes the problem of a broken link. Returns undefined for a valid link. */
function describeLinkProblem(path: string, link: string): string | undefined {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file))
  if (target.startsWith('..') || !existsSync(ROOT + target)) return `${path}: there is no ${link}`
  if (anchor === undefined) return undefined
  const headings = withoutBlocks(readFileSync(ROOT + target, 'utf8')).matchAll(/^#+ (.+)$/gm)
  return [...headings].some(([, heading = '']) => anchorOf(heading) === anchor)
    ? undefined
    : `${path}: there is no ${link}`
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, '')
}

test('every link within the repository has a target', () => {
  const links = documents.flatMap(({ path, text }) =>
    [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ path, link })),
  )
  const own = links.filter(({ link }) => !/^[a-z]+:/.test(link))
  expect(own.length).toBeGreaterThan(50)
  expect(own.flatMap(({ path, link }) => describeLinkProblem(path, link) ?? [])).toEqual([])
})

test('finds a broken link', () => {
  expect(describeLinkProblem('README.md', 'docs/no-such.md')).toContain('no-such')
  expect(describeLinkProblem('README.md', '#no-such-heading')).toContain('no-such')
  expect(describeLinkProblem('README.md', '../elsewhere')).toContain('elsewhere')
})

/** Returns the file names in the prose and tables of a page. They may omit leading directories of their path. */
function findFileNames(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/`([\w@./-]+\.(?:ts|go|md|json))`/g)].map(([, name = '']) => name)
}

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('every file that %s names exists', (page) => {
  const paths = readRepositoryFiles().map(({ path }) => `/${path}`)
  const names = findFileNames(readFileSync(ROOT + page, 'utf8')).filter((name) => !name.startsWith('x.'))
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !paths.some((path) => path.endsWith(`/${name}`)))).toEqual([])
})

test('every code excerpt occurs in the source file that it names', () => {
  const excerpts = documents.flatMap(({ path, blocks }) =>
    blocks.flatMap(({ source, text, line }) => (source === undefined ? [] : [{ at: `${path}:${line}`, source, text }])),
  )
  expect(excerpts.length).toBeGreaterThan(0)
  const missing = excerpts.filter(
    ({ source, text }) => !withoutIndent(readFileSync(ROOT + source, 'utf8')).includes(withoutIndent(text)),
  )
  expect(missing.map(({ at }) => at)).toEqual([])
})

function withoutIndent(text: string): string {
  return text.replaceAll(/^ +/gm, '')
}

test('the examples for contributors come from files', () => {
  const blocks = documents
    .find(({ path }) => path === 'CONTRIBUTING.md')
    ?.blocks.filter(({ language }) => language === 'ts')
  expect(blocks?.map(({ source }) => source === undefined)).toEqual(blocks?.map(() => false))
  expect(blocks?.length).toBeGreaterThan(0)
})

test('every JSON code block of the documentation parses', () => {
  const json = documents.flatMap(({ path, blocks }) =>
    blocks.filter(({ language }) => language === 'json').map(({ line, text }) => ({ at: `${path}:${line}`, text })),
  )
  expect(json.filter(({ text }) => !isJson(text)).map(({ at }) => at)).toEqual([])
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('commands of the installed package occur only where it is installed', () => {
  const blocks = documents.flatMap(({ path, blocks }) => blocks.map(({ text }) => ({ path, text })))
  const installed = blocks.filter(({ text }) => text.includes('npx --no touchstone'))
  // These pages start with the installation of the package.
  const pages = ['README.md', 'docs/testing-agents.md']
  expect(new Set(installed.map(({ path }) => path))).toEqual(new Set(pages))
})
