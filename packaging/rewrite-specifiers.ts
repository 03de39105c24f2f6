import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Matches the code before a quoted module specifier: a static import, a dynamic import or `new URL()`. */
const BEFORE = String.raw`(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|\bnew URL\(\s*)`
const RELATIVE = new RegExp(String.raw`(${BEFORE}(['"]))(\.[^'"\n]*)(\2)`, 'g')

/**
 * Rewrites `.ts` specifiers to `.js`. The compiler does this in emitted imports, but not in declarations or in `new
 * URL()`, which starts worker threads.
 */
export function rewriteSpecifiers(text: string): string {
  return text.replace(RELATIVE, (_, before: string, _quote: string, name: string, after: string) => {
    return `${before}${name.replace(/(?<!\.d)\.ts$/, '.js')}${after}`
  })
}

/**
 * Lists the relative module specifiers of a file whose targets do not exist.
 * @param directory directory of the file
 */
export function findDanglingSpecifiers(text: string, directory: string): string[] {
  return [...text.matchAll(RELATIVE)]
    .map(([, , , name = '']) => name)
    .filter((name) => !existsSync(join(directory, name)))
}

/**
 * Returns the given declaration files, and all files that they import directly or indirectly. Specifiers may end in
 * `.ts` or `.js`.
 */
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
