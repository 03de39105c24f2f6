import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A relative name in quotes: in an import, at once or later, and in the address of a file that lies beside. */
const BEFORE = String.raw`(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|\bnew URL\(\s*)`
const RELATIVE = new RegExp(String.raw`(${BEFORE}(['"]))(\.[^'"\n]*)(\2)`, 'g')

/**
 * Gives names of TypeScript files the name of what they were compiled to. The compiler does so in imports, but neither in
 * declarations nor in addresses of threads.
 */
export function leadToOutput(text: string): string {
  return text.replace(RELATIVE, (_, before: string, _quote: string, name: string, after: string) => {
    return `${before}${name.replace(/(?<!\.d)\.ts$/, '.js')}${after}`
  })
}

/** The relative names that a file in this directory reaches nothing by. */
export function leadsNowhere(text: string, directory: string): string[] {
  return [...text.matchAll(RELATIVE)]
    .map(([, , , name = '']) => name)
    .filter((name) => !existsSync(join(directory, name)))
}
