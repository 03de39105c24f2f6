import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { readImports } from './import-rules.ts'
import { readSourceFiles } from './repository-files.ts'

/** Returns the source files that each file imports, keyed by file. Includes type imports, and excludes test files. */
function readFiles(): Map<string, Set<string>> {
  const files = readSourceFiles().filter(({ path }) => !path.endsWith('.test.ts'))
  const paths = new Set(files.map(({ path }) => path))
  return new Map(
    files.map(({ path, text }) => {
      const targets = readImports(text).map(({ specifier }) => posix.join(posix.dirname(path), specifier))
      return [path, new Set(targets.filter((target) => paths.has(target) && target !== path))]
    }),
  )
}

/** Returns the files that are part of an import cycle or lie between two cycles. */
function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  let left = [...graph.keys()]
  for (let before = Infinity; left.length < before;) {
    before = left.length
    const imported = new Set(left.flatMap((name) => [...(graph.get(name) ?? [])]))
    left = left.filter((name) => imported.has(name) && [...(graph.get(name) ?? [])].some((one) => left.includes(one)))
  }
  return left
}

test('no files form an import cycle, including type imports', () => {
  const files = readFiles()
  expect(files.get('emulator/core/handle-request.ts')).toContain('emulator/core/pipeline.ts')
  expect(findCycles(files)).toEqual([])
})

test('the core imports no observer, no scripting and no transport', () => {
  const imported = [...readFiles()].flatMap(([path, targets]) =>
    path.startsWith('emulator/core/')
      ? [...targets].filter((target) => target.startsWith('emulator/')).map((target) => target.split('/')[1])
      : [],
  )
  expect(new Set(imported)).toEqual(new Set(['core', 'operations', 'options', 'state']))
})
