import { join } from 'node:path'
import { renderLoad } from './console/render-load.ts'
import { renderWrittenFiles } from './console/render-places.ts'
import type { LoadDocument } from './load-document.ts'
import { writeReports } from './render-files.ts'
import { writeDocument } from './write-document.ts'

/** Output of the report. */
export interface ReportLoadOptions {
  readonly directory: string
  readonly hasColor: boolean
  /** Takes the console text. */
  print(text: string): void
  /** Takes the lines that name the written files. */
  printPlaces(text: string): void
}

/**
 * Prints the console text, then writes `load-<scenario>.json` and its page, and prints their paths.
 * @throws the file system's error, or {InvalidDocumentError}, after the text was printed
 */
export async function reportLoad(document: LoadDocument, options: ReportLoadOptions): Promise<void> {
  const { directory, hasColor } = options
  const name = nameOf(document)
  const documentPath = join(directory, `${name}.json`)
  options.print(renderLoad(document, { hasColor }))
  await writeDocument(documentPath, document)
  await writeReports(document, { path: documentPath, directory, formats: ['html'] })
  const places = [
    { what: 'Everything, with exact histograms', paths: [documentPath] },
    { what: 'The same to read and to send on', paths: [join(directory, `${name}.html`)] },
  ]
  options.printPlaces(renderWrittenFiles(places, hasColor))
}

/** Each segment of a run has its own file name, so that all fit in one directory. */
function nameOf({ scenario, segment }: LoadDocument): string {
  const part = segment !== undefined && 'index' in segment ? `-${segment.index + 1}-of-${segment.count}` : ''
  return `load-${scenario}${part}`
}
