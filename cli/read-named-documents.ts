import { basename, dirname } from 'node:path'
import type { NamedResultDocument } from '../reports/compare-documents.ts'
import { InvalidDocumentError, readDocument, type ResultDocument, type RunDocument } from '../reports/documents.ts'
import { isDirectory, readDirectory } from './read-documents.ts'

/**
 * Reads documents and names each of them. `name=file` sets the name. Without it, the name is the first that no other
 * file shares: the file name without its extension, the name of the directory, or the path.
 *
 * For a directory, reads its newest document of the same kind and scenario as the other documents, or of any kind if
 * there are only directories.
 * @throws {InvalidDocumentError} if a document cannot be read
 */
export async function readNamedDocuments(given: readonly string[]): Promise<NamedResultDocument[]> {
  const sources = given.map((argument) => {
    const [, name, file] = /^([^=/\\]+)=(.+)$/.exec(argument) ?? []
    return { name, file: file ?? argument }
  })
  const files = sources.map(({ file }) => file)
  const candidates = await Promise.all(files.map(readCandidates))
  const subject = (candidates.find(({ length }) => length === 1) ?? candidates[0])?.[0]
  return sources.map(({ name, file }, index) => {
    const documents = candidates[index] ?? []
    const document = documents.find((one) => isSameSubject(one, subject)) ?? documents[0]
    if (document === undefined) {
      throw new InvalidDocumentError(
        `the directory ${file} has no document of a conformance or load run that this version of touchstone wrote: give another directory, or a document`,
      )
    }
    return { name: name ?? shortName(file, files), document }
  })
}

/** Reads the document at a path, or all documents of runs in a directory, the newest first. */
async function readCandidates(path: string): Promise<ResultDocument[]> {
  if (!(await isDirectory(path))) return [await readDocument(path)]
  return (await readDirectory(path))
    .filter((document): document is RunDocument => document !== 'unknown-version' && document.kind !== 'prove')
    .toSorted((a, b) => b.startedAt.localeCompare(a.startedAt))
}

function isSameSubject(one: ResultDocument, other: ResultDocument | undefined): boolean {
  if (one.kind !== other?.kind) return false
  return one.kind !== 'load' || other.kind !== 'load' || one.scenario === other.scenario
}

function shortName(file: string, files: readonly string[]): string {
  const ownName = (path: string): string => basename(path).replace(/\.json(?:\.gz)?$/, '')
  const folder = (path: string): string => basename(dirname(path))
  const isAlone = (nameOf: (path: string) => string): boolean =>
    files.filter((other) => nameOf(other) === nameOf(file)).length === 1
  if (isAlone(ownName)) return ownName(file)
  return isAlone(folder) ? folder(file) : file
}
