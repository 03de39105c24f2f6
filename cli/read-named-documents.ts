import { basename, dirname } from 'node:path'
import type { NamedResultDocument } from '../reports/compare-documents.ts'
import { readDocument } from '../reports/documents.ts'

/**
 * Reads documents and gives each a short unique name. The name is taken from `name=file` if given, then from the file,
 * or from its directory if several files have the same name.
 * @throws {InvalidDocumentError} if a document cannot be read
 */
export async function readNamedDocuments(given: readonly string[]): Promise<NamedResultDocument[]> {
  const sources = given.map((argument) => {
    const [, name, file] = /^([^=/\\]+)=(.+)$/.exec(argument) ?? []
    return { name, file: file ?? argument }
  })
  const files = sources.map(({ file }) => file)
  return Promise.all(
    sources.map(async ({ name, file }) => ({
      name: name ?? shortName(file, files),
      document: await readDocument(file),
    })),
  )
}

function shortName(file: string, files: readonly string[]): string {
  const ownName = (path: string): string => basename(path).replace(/\.json$/, '')
  const folder = (path: string): string => basename(dirname(path))
  const isAlone = (nameOf: (path: string) => string): boolean =>
    files.filter((other) => nameOf(other) === nameOf(file)).length === 1
  if (isAlone(ownName)) return ownName(file)
  return isAlone(folder) ? folder(file) : file
}
