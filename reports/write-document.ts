import { rename, rm, writeFile } from 'node:fs/promises'
import { InvalidDocumentError, findDocumentErrors, sortDocumentMembers, type ResultDocument } from './documents.ts'

/** Control, invisible and bidirectional characters. The line feed is part of the layout. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Serializes a document as JSON that is safe to print: text of a target cannot control the terminal. */
export function serializeDocument(document: unknown): string {
  const json = JSON.stringify(document, undefined, 2)
  return `${json.replace(UNSAFE, escapeUnits)}\n`
}

/** Escapes each UTF-16 unit. Such characters occur only inside JSON strings. */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/**
 * Writes a document as JSON atomically, with its members in the order of the schema. A document that does not match its schema is
 * a bug of this tool: it is kept as `….invalid.json`, so that no run is lost.
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
  throw new InvalidDocumentError(`The document does not match its schema, and was kept as ${aside}: ${faults[0]}.`)
}

/** Writes a file through a temporary one, so that no reader sees a part of it. @throws the file system's error */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  try {
    await writeFile(draft, text, { flush: true }) // some file systems report only here that they are full
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined) // the first error is the one to report
    throw error
  }
}
