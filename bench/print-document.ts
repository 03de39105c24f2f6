import { writeFileSync } from 'node:fs'

/**
 * Prints the result of a benchmark as one line of JSON, and also writes it to the file `out` unless that is undefined.
 */
export function printDocument(document: object, out: string | undefined): void {
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(document, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(document)}\n`)
}
