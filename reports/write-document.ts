import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { nameTemporary, removeLeftOvers } from '../common/left-overs.ts'
import { makeJsonPrintable } from '../common/printable-text.ts'
import { InvalidDocumentError, findDocumentErrors, sortDocumentMembers, type ResultDocument } from './documents.ts'
import { keepEarlierDocument, removeOldestDocuments } from './earlier-documents.ts'

/** Serializes JSON that is safe to print: it controls no terminal, and starts no command of a CI runner. */
export function serializeDocument(document: unknown): string {
  return `${serialize(document)}\n`
}

function serialize(value: unknown): string {
  return makeJsonPrintable(JSON.stringify(value, undefined, 2))
}

/** Serializes a document in pieces, one for each item of its lists, because the whole text needs much memory. */
export function* serializePieces(document: ResultDocument): Iterable<string> {
  let separator = '{\n  '
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue
    yield `${separator}${serialize(name)}: `
    if (Array.isArray(value) && value.length > 0) {
      for (const [index, item] of value.entries()) yield `${index === 0 ? '[' : ','}\n    ${indent(serialize(item), 4)}`
      yield '\n  ]'
    } else {
      yield indent(serialize(value), 2)
    }
    separator = ',\n  '
  }
  yield '\n}\n'
}

function indent(json: string, spaces: number): string {
  return json.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}

/**
 * Writes a document atomically as JSON, with its members in the order of the schema. Keeps an earlier document of the
 * same name in `earlier/`, so that no run overwrites the results of another, and removes the oldest documents there if
 * they exceed the limits. A document that does not match its schema is a bug of this tool. It is written to
 * `….invalid.json`, so that the results remain available.
 * @returns the number of removed documents
 * @throws {InvalidDocumentError} that names the invalid file, or the file system's error
 */
export async function writeDocument(path: string, document: ResultDocument): Promise<number> {
  const errors = findDocumentErrors(document)
  if (errors.length === 0) {
    await writeFileAtomically(path, serializePieces(sortDocumentMembers(document)), keepEarlierDocument)
    return removeOldestDocuments(dirname(path))
  }
  const aside = path.replace(/(?:\.json)?$/, '.invalid.json')
  await writeFileAtomically(aside, serializeDocument(document))
  throw new InvalidDocumentError(`The document does not match its schema and was saved as ${aside}: ${errors[0]}.`)
}

/** Replaces a file by a temporary one, after `beforeReplacing`, so that readers never see incomplete content. */
export async function writeFileAtomically(
  path: string,
  text: string | Iterable<string>,
  beforeReplacing?: (path: string) => Promise<void>,
): Promise<void> {
  const prefix = `${basename(path)}.`
  removeLeftOvers(dirname(path), prefix)
  const draft = join(dirname(path), `${nameTemporary(prefix)}tmp`)
  try {
    // Flushes the file, because some file systems report a full disk only when flushing.
    await writeFile(draft, text, { flush: true })
    await beforeReplacing?.(path)
    await rename(draft, path)
  } catch (error) {
    // Ignores an error of the cleanup, so that the caller sees the original error.
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}
