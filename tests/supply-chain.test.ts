import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { SUPPLY_CHAIN_PAGE, parseTableRows } from './supply-chain-page.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const ALLOWED = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'Zlib']
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

interface Locked {
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: true
  readonly hasInstallScript?: true
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Lock = Readonly<Record<string, Locked>>

interface Manifest {
  readonly license?: string
  readonly scripts?: Readonly<Record<string, string>>
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
// The cast is safe: npm defines the format of lock files.
const lockAt = (path: string): Lock => (readJson(path) as { packages: Lock }).packages
const manifestOf = (path: string) => readJson(join(path, 'package.json')) as Manifest

const lock = lockAt('package-lock.json')
const direct = Object.keys(lock['']?.dependencies ?? {})

/** Resolves a dependency in the lock file by the resolution rules of Node.js. */
function find(name: string, from: string): string | undefined {
  const at = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (lock[at] !== undefined) return at
  return from === '' ? undefined : find(name, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)))
}

/** Returns a package and its transitive dependencies, as paths in the lock file. */
function closureOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const kind of ['dependencies', 'optionalDependencies'] as const) {
    for (const name of Object.keys(lock[path]?.[kind] ?? {})) {
      const found = find(name, path)
      if (found !== undefined) closureOf(found, seen)
    }
  }
  return seen
}

function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules')
  const bytes = entries.map((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? bytesOf(path) : statSync(path).size
  })
  return bytes.reduce((sum, size) => sum + size, 0)
}

function mebibytesOf(paths: Iterable<string>): string {
  const bytes = [...paths].reduce((sum, path) => sum + bytesOf(join(ROOT, path)), 0)
  return (bytes / 1024 / 1024).toFixed(1)
}

const installed = direct.map((name) => closureOf(`node_modules/${name}`))
const everything = new Set(installed.flatMap((paths) => [...paths]))

describe('packages that users install', () => {
  test('installed packages match the page: licence, number and size', () => {
    const reported = parseTableRows('Packages').map(([name, , ...figures]) => [name, ...figures])
    const found = direct.map((name, index) => {
      const paths = installed[index] ?? new Set()
      return [name, manifestOf(`node_modules/${name}`).license, String(paths.size), mebibytesOf(paths)]
    })
    expect(reported).toEqual(found)
    expect(SUPPLY_CHAIN_PAGE.replaceAll('\n', ' ')).toContain(
      `with ${everything.size - direct.length} transitive ones: ${everything.size} packages, ${mebibytesOf(everything)} MiB.`,
    )
  })

  test('installed packages have only licences that the page lists', () => {
    const ofEach = [...everything].map((path) => [path, manifestOf(path).license ?? 'none'] as const)
    const others = ofEach.filter(([, licence]) => !licensesIn(licence).every((one) => ALLOWED.includes(one)))
    expect(others).toEqual([])
    expect(SUPPLY_CHAIN_PAGE).toContain(`${ALLOWED.slice(0, -1).join(', ')} and ${ALLOWED.at(-1)}`)
  })

  test('installed packages run no install scripts', () => {
    const running = [...everything].filter((path) => {
      const { scripts = {} } = manifestOf(path)
      // If a package contains this file, npm compiles the package during installation.
      const isCompiled = readdirSync(join(ROOT, path)).includes('binding.gyp')
      return lock[path]?.hasInstallScript === true || isCompiled || INSTALL_SCRIPTS.some((name) => name in scripts)
    })
    expect(running).toEqual([])
  })
})

/**
 * Returns all licences in an SPDX expression such as `(MIT AND Zlib)`. Returns both alternatives of `MIT OR X`, so that
 * each one is reviewed.
 */
function licensesIn(expression: string): string[] {
  return expression.replaceAll(/[()]/g, '').split(/ (?:AND|OR) /)
}

test.each(['package-lock.json', 'tests/mutation/package-lock.json'])(
  '%s has a SHA-512 for each package, all from a registry',
  (path) => {
    const packages = Object.entries(lockAt(path)).filter(([place]) => place !== '')
    expect(packages.length).toBeGreaterThan(50)
    const loose = packages.filter(([, { integrity = '', resolved, link }]) => {
      return !integrity.startsWith('sha512-') || resolved !== undefined || link === true
    })
    expect(loose.map(([place]) => place)).toEqual([])
  },
)

describe('modules of the extension', () => {
  const stated = parseTableRows('Modules').map(([module = '', , licence = '']) => ({ module, licence }))
  const [own = ''] = /^require \((.*?)^\)/ms.exec(readFileSync(`${ROOT}scenarios/extension/go.mod`, 'utf8')) ?? []

  test('modules of the extension match the page', () => {
    const required = [...own.matchAll(/^\t(\S+) v/gm)].map(([, module]) => module)
    expect(required.length).toBeGreaterThan(0)
    expect(stated.map(({ module }) => module).toSorted()).toEqual(required.toSorted())
  })
})
