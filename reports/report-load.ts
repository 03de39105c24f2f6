import { join } from 'node:path'
import { renderLoad } from './console/render-load.ts'
import { renderWrittenFiles } from './console/render-written-files.ts'
import type { LoadDocument } from './load-document.ts'
import { describeRemovedDocuments } from './earlier-documents.ts'
import { writeReports } from './render-files.ts'
import { writeDocument } from './write-document.ts'

export interface ReportLoadOptions {
  readonly directory: string
  readonly hasColor: boolean
  readonly isVerbose: boolean
  print(text: string): void
  printPaths(text: string): void
}

/**
 * Prints the report, then writes `load-<scenario>.json` and its page, and prints their paths.
 * @throws the file system's error, or {InvalidDocumentError}, after printing the report
 */
export async function reportLoad(document: LoadDocument, options: ReportLoadOptions): Promise<void> {
  const { directory, hasColor, isVerbose } = options
  const name = nameOf(document)
  const documentPath = join(directory, `${name}.json`)
  options.print(renderLoad(document, { hasColor, isVerbose }))
  const removed = await writeDocument(documentPath, document)
  await writeReports(document, { path: documentPath, directory, formats: ['html'] })
  const places = [
    { what: 'All results, with exact histograms', paths: [documentPath] },
    { what: 'The report as a page', paths: [join(directory, `${name}.html`)] },
    ...describeRemovedDocuments(removed, directory),
  ]
  options.printPaths(renderWrittenFiles(places, hasColor))
}

/**
 * Returns the base name of the document. The segments of a run have different names, so that they can share a
 * directory.
 */
function nameOf({ scenario, segment }: LoadDocument): string {
  const part = segment !== undefined && 'index' in segment ? `-${segment.index + 1}-of-${segment.count}` : ''
  return `load-${scenario}${part}`
}
