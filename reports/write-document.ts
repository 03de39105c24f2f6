import { rename, rm, writeFile } from 'node:fs/promises'
import { InvalidDocumentError, findDocumentErrors, sortDocumentMembers, type ResultDocument } from './documents.ts'

/** Characters that steer a terminal, hide, or turn the direction of text. A line feed is the layout's own. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A document as JSON text that is safe to print: what a target sent cannot act on whoever looks at it. */
export function serializeDocument(document: unknown): string {
  const json = JSON.stringify(document, undefined, 2)
  return `${json.replace(UNSAFE, escapeUnits)}\n`
}

/** Each UTF-16 unit as JSON writes it: such characters can only stand inside of a JSON string. */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/**
 * Writes a document as JSON, its members in the order of its schema: a reader sees the old one or the new one, never a half.
 * One that is not as its schema says is an error of this tool: it is kept under another name, so that no run is lost.
 * @throws {InvalidDocumentError} with that name, or the file system's error
 */
export async function writeDocument(path: string, document: ResultDocument): Promise<void> {
  const faults = findDocumentErrors(document)
  if (faults.length === 0) {
    await writeFileAtomically(path, serializeDocument(sortDocumentMembers(document)))
    return
  }
  const aside = path.replace(/(?:\.json)?$/, '.invalid.json')
  await writeFileAtomically(aside, serializeDocument(document))
  throw new InvalidDocumentError(`The document is not as its schema says, and was kept as ${aside}: ${faults[0]}.`)
}

/** Writes a file so that nobody sees half of it; where that fails, nothing of it stays. @throws the file system's error */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  try {
    await writeFile(draft, text, { flush: true }) // some file systems tell only then that they are full
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined) // what went wrong first is what is told
    throw error
  }
}
