import { writeFileSync } from 'node:fs'

/** Prints the result of a benchmark as one line of JSON. Also writes it to the file `out`, if given. */
export function printDocument(document: object, out: string | undefined): void {
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(document, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(document)}\n`)
}
