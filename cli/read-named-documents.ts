import { basename, dirname } from 'node:path'
import type { NamedResultDocument } from '../reports/compare-documents.ts'
import { readDocument } from '../reports/documents.ts'

/**
 * Reads documents and names each of them. `name=file` sets the name. Without it, the name is the first that no other
 * file shares: the file name without its extension, the name of the directory, or the path.
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
