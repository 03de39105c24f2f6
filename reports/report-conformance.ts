import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConformanceDocument } from './conformance-document.ts'
import { renderConformance } from './console/render-conformance.ts'
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
}

/** Makes the directory of reports, so that a place that cannot be written is known before a run. @throws the file system's error */
export async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
}

/**
 * Prints the console text, then writes the document and its page: the page is made when the verdict is on the screen already.
 * @throws the file system's error, or {DocumentFault}; the text is printed all the same
 */
export async function reportConformance(document: ConformanceDocument, options: ReportOptions): Promise<void> {
  const { directory, hasColor, exitCode } = options
  const documentPath = join(directory, FILE_NAME)
  const pagePath = join(directory, PAGE_NAME)
  options.print(renderConformance(document, { hasColor, exitCode, documentPath, pagePath }))
  await writeDocument(documentPath, document)
  await writeReports(document, { path: documentPath, directory, formats: ['html'] })
}
