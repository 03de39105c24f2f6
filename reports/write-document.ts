import { rename, rm, writeFile } from 'node:fs/promises'
import { InvalidDocumentError, findDocumentErrors, sortDocumentMembers, type ResultDocument } from './documents.ts'

/** Control, invisible and bidirectional characters, except the line feeds of the JSON layout. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Serializes a document as JSON that is safe to print, because text of a target cannot control the terminal. */
export function serializeDocument(document: unknown): string {
  const json = JSON.stringify(document, undefined, 2)
  return `${json.replace(UNSAFE, escapeUnits)}\n`
}

/** Escapes each UTF-16 code unit of a character, which can occur only inside a JSON string. */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/**
 * Writes a document atomically as JSON, with its members in the order of the schema. A document that does not match its
 * schema is a bug of this tool; it is written to `….invalid.json`, so that the results remain available.
 * @throws {InvalidDocumentError} that names that file, or the file system's error
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

/**
 * Writes a file by renaming a temporary file, so that readers never see incomplete content.
 * @throws the file system's error
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  try {
    // Flushes the file, because some file systems report only then that they are full.
    await writeFile(draft, text, { flush: true })
    await rename(draft, path)
  } catch (error) {
    // Ignores an error of the cleanup, so that the first error is thrown.
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}
