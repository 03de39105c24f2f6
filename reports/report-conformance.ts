import { join } from 'node:path'
import type { ConformanceDocument } from './conformance-document.ts'
import { renderConformance } from './console/render-conformance.ts'
import { renderPlaces } from './console/render-places.ts'
import { writeReports } from './render-files.ts'
import { writeDocument } from './write-document.ts'

/** Names of the document and of its page in the directory that `--out` names. */
const FILE_NAME = 'conformance.json'
const PAGE_NAME = 'conformance.html'

/** Where the report of a run goes. */
export interface ReportOptions {
  readonly directory: string
  readonly hasColor: boolean
  readonly exitCode: number
  /** Takes the console text. */
  print(text: string): void
  /** Takes the lines that say what was written where, when it was. */
  printPlaces(text: string): void
}

/**
 * Prints the console text, then writes the document and its page, and says where they are. The page is made when the verdict
 * is on the screen already.
 * @throws the file system's error, or {DocumentFault}; the text is printed all the same
 */
export async function reportConformance(document: ConformanceDocument, options: ReportOptions): Promise<void> {
  const { directory, hasColor, exitCode } = options
  const documentPath = join(directory, FILE_NAME)
  options.print(renderConformance(document, { hasColor, exitCode }))
  await writeDocument(documentPath, document)
  await writeReports(document, { path: documentPath, directory, formats: ['html'] })
  const places = [
    { what: 'Every request and answer', paths: [documentPath] },
    { what: 'The same to read and to send on', paths: [join(directory, PAGE_NAME)] },
  ]
  options.printPlaces(renderPlaces(places, hasColor))
}
