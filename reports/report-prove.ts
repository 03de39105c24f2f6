import { join } from 'node:path'
import { renderProve } from './console/render-prove.ts'
import type { ProveDocument } from './prove-document.ts'
import { writeDocument } from './write-document.ts'

/** Name of the document in the directory that `--out` names. */
const FILE_NAME = 'prove.json'

/** Where the report of a proof goes. */
export interface ProveReportOptions {
  readonly directory: string
  readonly hasColor: boolean
  /** Takes the console text. */
  print(text: string): void
}

/** Writes the document and prints the console text. @throws the file system's error; the text is printed all the same */
export async function reportProve(document: ProveDocument, options: ProveReportOptions): Promise<void> {
  const path = join(options.directory, FILE_NAME)
  options.print(renderProve(document, { hasColor: options.hasColor, documentPath: path }))
  await writeDocument(path, document)
}
