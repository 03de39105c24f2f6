import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidDocumentError, readDocument, type ResultDocument, UnknownVersionError } from '../reports/documents.ts'

export async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}

/**
 * Reads a document. Returns `unknown-version` for a document of a draft or of another version.
 * @throws {InvalidDocumentError} if the file is not a document
 */
export function readAnyVersion(file: string): Promise<ResultDocument | 'unknown-version'> {
  return readDocument(file).catch((error: unknown) => {
    if (error instanceof UnknownVersionError) return 'unknown-version' as const
    throw error
  })
}

/** Reads the documents in a directory. Skips other files. Returns an empty list if the directory cannot be read. */
export async function readDirectory(directory: string): Promise<(ResultDocument | 'unknown-version')[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => /\.json(?:\.gz)?$/.test(name))
  const documents = await Promise.all(
    names.map((name) =>
      readAnyVersion(join(directory, name)).catch((error: unknown) => {
        if (error instanceof InvalidDocumentError) return undefined
        throw error
      }),
    ),
  )
  return documents.filter((document) => document !== undefined)
}
