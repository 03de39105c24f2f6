import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConformanceDocument } from './conformance-document.ts'
import { renderConformance } from './console/render-conformance.ts'
import { writeDocument } from './write-document.ts'

/** Name of the document in the directory that `--out` names. */
const FILE_NAME = 'conformance.json'

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

/** Writes the document and prints the console text. @throws the file system's error; the text is printed all the same */
export async function reportConformance(document: ConformanceDocument, options: ReportOptions): Promise<void> {
  const path = join(options.directory, FILE_NAME)
  const { hasColor, exitCode } = options
  options.print(renderConformance(document, { hasColor, exitCode, documentPath: path }))
  await writeDocument(path, document)
}
