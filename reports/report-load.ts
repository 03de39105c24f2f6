import { join } from 'node:path'
import { renderLoad } from './console/render-load.ts'
import type { LoadDocument } from './load-document.ts'
import { writeDocument } from './write-document.ts'

/** Where the report of a load run goes. */
export interface ReportLoadOptions {
  readonly directory: string
  readonly hasColor: boolean
  /** Takes the console text. */
  print(text: string): void
}

/** Writes `load-<scenario>.json` and prints the console text. @throws the file system's error; the text is printed all the same */
export async function reportLoad(document: LoadDocument, options: ReportLoadOptions): Promise<void> {
  const path = join(options.directory, fileNameOf(document))
  options.print(renderLoad(document, { hasColor: options.hasColor, documentPath: path }))
  await writeDocument(path, document)
}

/** Parts of a run have names of their own, so that they can lie in one directory. */
function fileNameOf({ scenario, segment }: LoadDocument): string {
  const part = segment !== undefined && 'index' in segment ? `-${segment.index + 1}-of-${segment.count}` : ''
  return `load-${scenario}${part}.json`
}
