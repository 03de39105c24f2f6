import { join } from 'node:path'
import { renderProve } from './console/render-prove.ts'
import { renderWrittenFiles } from './console/render-written-files.ts'
import { renderProvePage } from './html/prove/render-prove-page.ts'
import type { ProveDocument } from './prove-document.ts'
import { writeDocument, writeFileAtomically } from './write-document.ts'

/** File name of the document. */
const DOCUMENT_NAME = 'prove.json'
const PAGE_NAME = 'prove.html'

/** Options for printing and writing the report of mutation tests. */
export interface ReportProveOptions {
  readonly directory: string
  readonly hasColor: boolean
  /** Prints the console text. */
  print(text: string): void
  /** Prints the paths of the written files. */
  printPaths(text: string): void
}

/**
 * Prints the report, then writes the document and its page, and prints their paths.
 * @throws the file system's error, after printing the report
 */
export async function reportProve(document: ProveDocument, options: ReportProveOptions): Promise<void> {
  const documentPath = join(options.directory, DOCUMENT_NAME)
  const pagePath = join(options.directory, PAGE_NAME)
  options.print(renderProve(document, { hasColor: options.hasColor }))
  await writeDocument(documentPath, document)
  await writeFileAtomically(pagePath, renderProvePage(document))
  options.printPaths(
    renderWrittenFiles([{ what: 'The whole table', paths: [pagePath, documentPath] }], options.hasColor),
  )
}
