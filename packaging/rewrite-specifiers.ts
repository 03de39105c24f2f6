import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A relative name in quotes: in an import, at once or later, and in the address of a file that lies beside. */
const BEFORE = String.raw`(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|\bnew URL\(\s*)`
const RELATIVE = new RegExp(String.raw`(${BEFORE}(['"]))(\.[^'"\n]*)(\2)`, 'g')

/**
 * Gives names of TypeScript files the name of what they were compiled to. The compiler does so in imports, but neither in
 * declarations nor in addresses of threads.
 */
export function rewriteSpecifiers(text: string): string {
  return text.replace(RELATIVE, (_, before: string, _quote: string, name: string, after: string) => {
    return `${before}${name.replace(/(?<!\.d)\.ts$/, '.js')}${after}`
  })
}

/** The relative names that a file in this directory reaches nothing by. */
export function findDanglingSpecifiers(text: string, directory: string): string[] {
  return [...text.matchAll(RELATIVE)]
    .map(([, , , name = '']) => name)
    .filter((name) => !existsSync(join(directory, name)))
}

/** Declarations, and all those that they name, directly or not. Before names were rewritten or after. */
export function findReachableDeclarations(declarations: readonly string[]): ReadonlySet<string> {
  const found = new Set(declarations)
  for (const path of found) {
    for (const [, , , name = ''] of readFileSync(path, 'utf8').matchAll(RELATIVE)) {
      const next = join(dirname(path), name.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'))
      if (existsSync(next)) found.add(next)
    }
  }
  return found
}
