import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { readImports } from './import-rules.ts'
import { readSourceFiles } from './repository-files.ts'

/**
 * Returns the directory of a file below `conformance/`. Mutants lie beside their checks, but count as a directory of
 * their own, because a run must not import them. Returns undefined for files at the top level, which may import every
 * directory.
 */
function folderOf(path: string): string | undefined {
  const [, folder, file] = path.split('/')
  if (file === undefined) return undefined
  return folder === 'sections' && posix.basename(path).includes('mutants') ? 'mutants' : folder
}

/**
 * Returns the directories that each directory imports, keyed by directory. Includes type imports, and excludes test
 * files.
 */
function readFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const { path, text } of readSourceFiles()) {
    const from = folderOf(path)
    if (!path.startsWith('conformance/') || path.endsWith('.test.ts') || from === undefined) continue
    const imported = folders.get(from) ?? new Set()
    folders.set(from, imported)
    for (const { specifier } of readImports(text)) {
      const target = posix.join(posix.dirname(path), specifier)
      const to = specifier.startsWith('.') && target.startsWith('conformance/') ? folderOf(target) : undefined
      if (to !== undefined && to !== from) imported.add(to)
    }
  }
  return folders
}

/** Returns the nodes that are part of a cycle, or from which a cycle is reachable. */
function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  let left = [...graph.keys()]
  for (let before = Infinity; left.length < before;) {
    before = left.length
    left = left.filter((name) => left.some((other) => graph.get(name)?.has(other)))
  }
  return left
}

test('the folders of the suite import each other in one direction only', () => {
  const folders = readFolders()
  expect(folders.get('engine')).toContain('http')
  expect(folders.get('prove')).toContain('mutants')
  expect(findCycles(folders)).toEqual([])
})

test('finds an import cycle across several folders', () => {
  const graph = { a: ['b'], b: ['c'], c: ['a', 'd'], d: [], e: ['a'] }
  const folders = new Map(Object.entries(graph).map(([name, imported]) => [name, new Set<string>(imported)]))
  expect(findCycles(folders)).toEqual(['a', 'b', 'c', 'e'])
})
