import { join } from 'node:path'
import { renderProve } from './console/render-prove.ts'
import { renderWrittenFiles } from './console/render-written-files.ts'
import { describeRemovedDocuments } from './earlier-documents.ts'
import { renderProvePage } from './html/prove/render-prove-page.ts'
import type { ProveDocument } from './prove-document.ts'
import { writeDocument, writeFileAtomically } from './write-document.ts'

const DOCUMENT_NAME = 'prove.json'
const PAGE_NAME = 'prove.html'

export interface ReportProveOptions {
  readonly directory: string
  readonly hasColor: boolean
  print(text: string): void
  printPaths(text: string): void
}

/** Prints the report, and then writes the document and its page. */
export async function reportProve(document: ProveDocument, options: ReportProveOptions): Promise<void> {
  const documentPath = join(options.directory, DOCUMENT_NAME)
  const pagePath = join(options.directory, PAGE_NAME)
  options.print(renderProve(document, { hasColor: options.hasColor }))
  const removed = await writeDocument(documentPath, document)
  await writeFileAtomically(pagePath, renderProvePage(document))
  const places = [
    { what: 'The whole table', paths: [pagePath, documentPath] },
    ...describeRemovedDocuments(removed, options.directory),
  ]
  options.printPaths(renderWrittenFiles(places, options.hasColor))
}
