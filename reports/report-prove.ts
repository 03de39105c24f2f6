import { join } from 'node:path'
import { renderProve } from './console/render-prove.ts'
import { renderProvePage } from './html/prove/render-prove-page.ts'
import type { ProveDocument } from './prove-document.ts'
import { writeDocument, writeWhole } from './write-document.ts'

/** Names of the document and of its page in the directory that `--out` names. */
const DOCUMENT_NAME = 'prove.json'
const PAGE_NAME = 'prove.html'

/** Where the report of a proof goes. */
export interface ProveReportOptions {
  readonly directory: string
  readonly hasColor: boolean
  /** Takes the console text. */
  print(text: string): void
}

/**
 * Writes the document and its page, and prints the console text.
 * @throws the file system's error; the text is printed all the same
 */
export async function reportProve(document: ProveDocument, options: ProveReportOptions): Promise<void> {
  const documentPath = join(options.directory, DOCUMENT_NAME)
  const pagePath = join(options.directory, PAGE_NAME)
  options.print(renderProve(document, { hasColor: options.hasColor, documentPath, pagePath }))
  await writeDocument(documentPath, document)
  await writeWhole(pagePath, renderProvePage(document))
}
