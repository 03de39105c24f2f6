import { join } from 'node:path'
import type { ConformanceDocument } from './conformance-document.ts'
import { renderConformance } from './console/render-conformance.ts'
import { renderWrittenFiles } from './console/render-written-files.ts'
import { describeRemovedDocuments } from './earlier-documents.ts'
import { writeReports } from './render-files.ts'
import { writeDocument } from './write-document.ts'

const FILE_NAME = 'conformance.json'
const PAGE_NAME = 'conformance.html'

export interface ReportOptions {
  readonly directory: string
  readonly hasColor: boolean
  readonly exitCode: number
  /** Whether to print each failure and warning in addition to the causes. */
  readonly isVerbose?: boolean
  print(text: string): void
  printPaths(text: string): void
}

/** Prints the report, and then writes the document and its page, also if printing fails. */
export async function reportConformance(document: ConformanceDocument, options: ReportOptions): Promise<void> {
  const { directory, hasColor, exitCode, isVerbose = false } = options
  const documentPath = join(directory, FILE_NAME)
  try {
    options.print(renderConformance(document, { hasColor, exitCode, isVerbose }))
  } finally {
    const removed = await writeDocument(documentPath, document)
    await writeReports(document, { path: documentPath, directory, formats: ['html'] })
    const places = [
      { what: 'Every request and response', paths: [documentPath] },
      { what: 'The report as a page', paths: [join(directory, PAGE_NAME)] },
      ...describeRemovedDocuments(removed, directory),
    ]
    options.printPaths(renderWrittenFiles(places, hasColor))
  }
}
