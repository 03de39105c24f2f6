import { join } from 'node:path'
import type { ConformanceDocument } from './conformance-document.ts'
import { renderConformance } from './console/render-conformance.ts'
import { renderWrittenFiles } from './console/render-written-files.ts'
import { writeReports } from './render-files.ts'
import { writeDocument } from './write-document.ts'

/** File names of the document and its page. */
const FILE_NAME = 'conformance.json'
const PAGE_NAME = 'conformance.html'

/** Output options of a conformance report. */
export interface ReportOptions {
  readonly directory: string
  readonly hasColor: boolean
  readonly exitCode: number
  /** Also prints each failure and warning. */
  readonly isVerbose?: boolean
  /** Prints the console text. */
  print(text: string): void
  /** Prints the paths of the written files. */
  printPaths(text: string): void
}

/**
 * Prints the console text, then writes the document and its page, and prints their paths. Renders the page only after
 * printing, so that the verdict appears early.
 * @throws the file system's error, or {InvalidDocumentError}, after the text was printed
 */
export async function reportConformance(document: ConformanceDocument, options: ReportOptions): Promise<void> {
  const { directory, hasColor, exitCode, isVerbose = false } = options
  const documentPath = join(directory, FILE_NAME)
  options.print(renderConformance(document, { hasColor, exitCode, isVerbose }))
  await writeDocument(documentPath, document)
  await writeReports(document, { path: documentPath, directory, formats: ['html'] })
  const places = [
    { what: 'Every request and response', paths: [documentPath] },
    { what: 'The report as a page', paths: [join(directory, PAGE_NAME)] },
  ]
  options.printPaths(renderWrittenFiles(places, hasColor))
}
