import { join } from 'node:path'
import { InvalidDocumentError, type ResultDocument } from './documents.ts'
import { buildHistories } from './history/build-history.ts'
import { renderHistoryPage } from './html/history/render-history-page.ts'
import { writeFileAtomically } from './write-document.ts'

/**
 * Writes `history.html` with the verdicts and percentiles of several runs.
 * @returns the path of the page
 * @throws {InvalidDocumentError} if no document describes a conformance or load run, or the file system's error
 */
export async function reportHistory(
  documents: readonly ResultDocument[],
  { directory, madeBy }: { readonly directory: string; readonly madeBy: string },
): Promise<string> {
  const histories = buildHistories(documents)
  if (histories.length === 0) {
    throw new InvalidDocumentError(
      'there are no documents of conformance or load runs: give documents, or their directory',
    )
  }
  const page = join(directory, 'history.html')
  await writeFileAtomically(page, renderHistoryPage(histories, madeBy))
  return page
}
