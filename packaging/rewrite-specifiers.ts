import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A relative specifier in quotes: in a static or dynamic import, or in a new URL(). */
const BEFORE = String.raw`(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|\bnew URL\(\s*)`
const RELATIVE = new RegExp(String.raw`(${BEFORE}(['"]))(\.[^'"\n]*)(\2)`, 'g')

/**
 * Rewrites `.ts` specifiers to `.js`. The compiler does so in emitted imports, but neither in declarations nor in `new URL()`, as
 * for worker threads.
 */
export function rewriteSpecifiers(text: string): string {
  return text.replace(RELATIVE, (_, before: string, _quote: string, name: string, after: string) => {
    return `${before}${name.replace(/(?<!\.d)\.ts$/, '.js')}${after}`
  })
}

/** Returns the relative specifiers in a file of this directory that name no file. */
export function findDanglingSpecifiers(text: string, directory: string): string[] {
  return [...text.matchAll(RELATIVE)]
    .map(([, , , name = '']) => name)
    .filter((name) => !existsSync(join(directory, name)))
}

/** Returns these declarations and all that they import, directly or not, before or after rewriting. */
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
