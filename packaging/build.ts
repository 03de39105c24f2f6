import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rewriteSpecifiers, findDanglingSpecifiers, findReachableDeclarations } from './rewrite-specifiers.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
/** Directories of the repository that the package contains. */
const ROOMS = ['cli', 'common', 'conformance', 'contract', 'emulator', 'load', 'reports', 'scenarios']

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

rmSync(DIST, { recursive: true, force: true })
compile()
for (const room of ROOMS) {
  cpSync(join(ROOT, room), join(DIST, room), { recursive: true, filter: isRuntimeFile })
}
writeManifest()
removeInternalDeclarations()
referenceNodeTypes()
const dangling = listFiles(DIST).flatMap((path) => rewrite(path))
if (dangling.length > 0) {
  process.stderr.write(`${dangling.join('\n')}\n`)
  process.exitCode = 1
}

function compile(): void {
  // The package `typescript` does not export its compiler program, so its path is resolved relative to package.json.
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
  const compiler = join(dirname(manifest), 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', join(ROOT, 'packaging')], { stdio: 'inherit' })
}

/**
 * Returns whether to copy a file unchanged, because a program opens it by its path. Excludes compiled sources, tests
 * and files for contributors.
 */
function isRuntimeFile(path: string): boolean {
  const name = basename(path)
  return (
    name !== 'testing' &&
    name !== 'testdata' &&
    name !== 'README.md' &&
    name !== 'tsconfig.json' &&
    !/(?:\.test|_test)\.|(?<!\.d)\.ts$/.test(name) &&
    !(name.endsWith('.js') && existsSync(join(DIST, relative(ROOT, path))))
  )
}

/**
 * Writes dist/package.json, because `cli/version.ts` reads the version from its parent folder, as in the repository.
 */
function writeManifest(): void {
  // The cast is safe: npm rejects a package.json without a version before this script runs.
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  writeFileSync(join(DIST, 'package.json'), `${JSON.stringify({ version, type: 'module' })}\n`)
}

function listEntryDeclarations(): string[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  const paths = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? entry : Object.values(entry)))
  return paths.filter((path) => path.endsWith('.js')).map((path) => join(ROOT, path.replace(/\.js$/, '.d.ts')))
}

/** Removes the type declarations that no package entry imports, directly or indirectly. */
function removeInternalDeclarations(): void {
  const kept = findReachableDeclarations(listEntryDeclarations())
  const all = listFiles(DIST).filter((path) => path.endsWith('.d.ts'))
  for (const path of all.filter((one) => !kept.has(one))) rmSync(path)
}

/**
 * Makes each entry load the types of Node.js, of which the declarations use some. Without this line, the project of the
 * user would have to list them in `types` of its tsconfig.json.
 */
function referenceNodeTypes(): void {
  for (const path of listEntryDeclarations()) {
    writeFileSync(path, `/// <reference types="node" />\n${readFileSync(path, 'utf8')}`)
  }
}

/**
 * Rewrites the module specifiers of a compiled file.
 * @returns a message for each specifier whose file does not exist
 */
function rewrite(path: string): string[] {
  if (!/\.(?:js|d\.ts)$/.test(path) || path.startsWith(join(DIST, 'scenarios', 'extension'))) return []
  const text = rewriteSpecifiers(readFileSync(path, 'utf8'))
  writeFileSync(path, text)
  return findDanglingSpecifiers(text, dirname(path)).map((name) => `${relative(ROOT, path)}: ${name} names no file`)
}

function listFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
