import { join } from 'node:path'
import { isRegression, type Comparison } from './compare/comparison.ts'
import { compareDocuments, type NamedResultDocument } from './compare-documents.ts'
import { renderComparison } from './console/render-comparison.ts'
import { writeFileAtomically } from './write-document.ts'
import { InvalidDocumentError, type ResultDocument } from './documents.ts'
import { buildMatrix } from './matrix/build-matrix.ts'
import { buildHistories } from './history/build-history.ts'
import { renderHistoryPage } from './html/history/render-history-page.ts'

export const COMPARISON_FORMATS = ['html', 'markdown'] as const

export type ComparisonFormat = (typeof COMPARISON_FORMATS)[number]

export interface ComparisonOptions {
  readonly directory: string
  readonly formats: readonly ComparisonFormat[]
  readonly hasColor: boolean
  /** Name and version of the program, such as `touchstone 0.2.0`. */
  readonly madeBy: string
  print(text: string): void
}

/** Compares the first run with each other run. Throws an {@link InvalidDocumentError} for different kinds. */
export function compareWithFirst([first, ...others]: readonly NamedResultDocument[]): {
  comparisons: Comparison[]
  isWorse: boolean
} {
  const comparisons = first === undefined ? [] : others.map((other) => compareDocuments(first, other))
  return { comparisons, isWorse: comparisons.some(isRegression) }
}

/** Prints the changes of comparisons, and writes reports. Returns their paths. */
export async function reportComparison(
  comparisons: readonly Comparison[],
  options: ComparisonOptions,
): Promise<string[]> {
  options.print(comparisons.map((one) => renderComparison(one, options.hasColor)).join('\n'))
  return writeFormats('comparison', options, {
    html: async () =>
      (await import('./html/compare/render-comparison-page.ts')).renderComparisonPage(comparisons, options.madeBy),
    markdown: async () => (await import('./markdown/render-comparison.ts')).renderComparisonMarkdown(comparisons),
  })
}

/** Writes the matrix of the conformance runs of several targets. Returns the paths of the reports. */
export async function reportMatrix(
  documents: readonly NamedResultDocument[],
  options: ComparisonOptions,
): Promise<string[]> {
  const matrix = buildMatrix(
    documents.map(({ name, document }) => {
      if (document.kind === 'conformance') return { name, document }
      throw new InvalidDocumentError(
        `a matrix requires conformance documents, but ${name} is a ${document.kind} document`,
      )
    }),
  )
  return writeFormats('matrix', options, {
    html: async () => (await import('./html/compare/render-matrix-page.ts')).renderMatrixPage(matrix, options.madeBy),
    markdown: async () => (await import('./markdown/render-matrix.ts')).renderMatrixMarkdown(matrix),
  })
}

async function writeFormats(
  name: string,
  { directory, formats }: ComparisonOptions,
  render: Readonly<Record<ComparisonFormat, () => Promise<string>>>,
): Promise<string[]> {
  const written: string[] = []
  for (const format of formats) {
    const file = join(directory, `${name}.${format === 'html' ? 'html' : 'md'}`)
    await writeFileAtomically(file, await render[format]())
    written.push(file)
  }
  return written
}

/** Writes `history.html` with the verdicts and percentiles of several runs. Returns its path. */
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
