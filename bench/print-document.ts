import { writeFileSync } from 'node:fs'

/** Prints what a bench found as a line of JSON; keeps it in the file `out` too, where there is one. */
export function printDocument(document: object, out: string | undefined): void {
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(document, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(document)}\n`)
}
