import { rename, writeFile } from 'node:fs/promises'

/** Characters that steer a terminal, hide, or turn the direction of text. A line feed is the layout's own. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A document as JSON text that is safe to print: what a target sent cannot act on whoever looks at it. */
export function documentText(document: unknown): string {
  const json = JSON.stringify(document, undefined, 2)
  return `${json.replace(UNSAFE, escapeUnits)}\n`
}

/** Each UTF-16 unit as JSON writes it: such characters can only stand inside of a JSON string. */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Writes a document as JSON: a reader sees the old one or the new one, never a half. @throws the file system's error */
export async function writeDocument(path: string, document: object): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, documentText(document))
  await rename(draft, path)
}
