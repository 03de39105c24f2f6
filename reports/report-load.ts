import { join } from 'node:path'
import { renderLoad } from './console/render-load.ts'
import { renderPlaces } from './console/render-places.ts'
import type { LoadDocument } from './load-document.ts'
import { writeReports } from './render-files.ts'
import { writeDocument } from './write-document.ts'

/** Where the report of a load run goes. */
export interface ReportLoadOptions {
  readonly directory: string
  readonly hasColor: boolean
  /** Takes the console text. */
  print(text: string): void
  /** Takes the lines that say what was written where, when it was. */
  printPlaces(text: string): void
}

/**
 * Prints the console text, then writes `load-<scenario>.json` and its page, and says where they are.
 * @throws the file system's error, or {DocumentFault}; the text is printed all the same
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
  options.printPlaces(renderPlaces(places, hasColor))
}

/** Parts of a run have names of their own, so that they can lie in one directory. */
function nameOf({ scenario, segment }: LoadDocument): string {
  const part = segment !== undefined && 'index' in segment ? `-${segment.index + 1}-of-${segment.count}` : ''
  return `load-${scenario}${part}`
}
