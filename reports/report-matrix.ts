import { join } from 'node:path'
import { InvalidDocumentError } from './documents.ts'
import type { NamedResultDocument } from './compare-documents.ts'
import { buildMatrix } from './matrix/build-matrix.ts'
import type { ComparisonOptions } from './report-comparison.ts'
import { writeFileAtomically } from './write-document.ts'

/**
 * Builds the matrix of the conformance runs of several targets, and writes it in the requested formats.
 * @returns the paths of the reports
 * @throws {InvalidDocumentError} if a document is not a conformance document, or the file system's error
 */
export async function reportMatrix(
  documents: readonly NamedResultDocument[],
  options: ComparisonOptions,
): Promise<string[]> {
  const matrix = buildMatrix(
    documents.map(({ name, document }) => {
      if (document.kind !== 'conformance') {
        throw new InvalidDocumentError(
          `a matrix requires conformance documents, but ${name} is a ${document.kind} document`,
        )
      }
      return { name, document }
    }),
  )
  const written: string[] = []
  for (const format of options.formats) {
    const file = join(options.directory, format === 'html' ? 'matrix.html' : 'matrix.md')
    const text =
      format === 'html'
        ? (await import('./html/compare/render-matrix-page.ts')).renderMatrixPage(matrix, options.madeBy)
        : (await import('./markdown/render-matrix.ts')).renderMatrixMarkdown(matrix)
    await writeFileAtomically(file, text)
    written.push(file)
  }
  return written
}
