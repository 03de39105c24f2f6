import { join } from 'node:path'
import type { ConformanceDocument } from './conformance-document.ts'
import { renderConformance } from './console/render-conformance.ts'
import { renderWrittenFiles } from './console/render-places.ts'
import { writeReports } from './render-files.ts'
import { writeDocument } from './write-document.ts'

/** Names of the document and of its page in the directory that `--out` names. */
const FILE_NAME = 'conformance.json'
const PAGE_NAME = 'conformance.html'

/** Output of the report. */
export interface ReportOptions {
  readonly directory: string
  readonly hasColor: boolean
  readonly exitCode: number
  /** Prints each failure and warning after their causes. */
  readonly isVerbose?: boolean
  /** Takes the console text. */
  print(text: string): void
  /** Takes the lines that name the written files. */
  printPlaces(text: string): void
}

/**
 * Prints the console text, then writes the document and its page, and prints their paths. The page is rendered after the verdict
 * is printed.
 * @throws the file system's error, or {InvalidDocumentError}, after the text was printed
 */
export async function reportConformance(document: ConformanceDocument, options: ReportOptions): Promise<void> {
  const { directory, hasColor, exitCode, isVerbose = false } = options
  const documentPath = join(directory, FILE_NAME)
  options.print(renderConformance(document, { hasColor, exitCode, isVerbose }))
  await writeDocument(documentPath, document)
  await writeReports(document, { path: documentPath, directory, formats: ['html'] })
  const places = [
    { what: 'Every request and answer', paths: [documentPath] },
    { what: 'The same to read and to send on', paths: [join(directory, PAGE_NAME)] },
  ]
  options.printPlaces(renderWrittenFiles(places, hasColor))
}
