import { join } from 'node:path'
import { type Comparison, isRegression } from './compare/comparison.ts'
import { compareDocuments, type NamedResultDocument } from './compare-documents.ts'
import { renderComparison } from './console/render-comparison.ts'
import { writeFileAtomically } from './write-document.ts'

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

/**
 * Compares the first run with each other run, prints the changes, and writes reports.
 * @returns whether there is a regression, and the paths of the reports
 * @throws {InvalidDocumentError} if the documents cannot be compared, or the file system's error
 */
export async function reportComparison(
  documents: readonly NamedResultDocument[],
  options: ComparisonOptions,
): Promise<{ isWorse: boolean; written: string[] }> {
  const [first, ...others] = documents
  if (first === undefined) return { isWorse: false, written: [] }
  const comparisons = others.map((other) => compareDocuments(first, other))
  options.print(comparisons.map((one) => renderComparison(one, options.hasColor)).join('\n'))
  const written: string[] = []
  for (const format of options.formats) {
    const file = join(options.directory, format === 'html' ? 'comparison.html' : 'comparison.md')
    await writeFileAtomically(file, await renderAs(comparisons, format, options.madeBy))
    written.push(file)
  }
  return { isWorse: comparisons.some(isRegression), written }
}

async function renderAs(comparisons: readonly Comparison[], format: ComparisonFormat, madeBy: string): Promise<string> {
  if (format === 'html') {
    return (await import('./html/compare/render-comparison-page.ts')).renderComparisonPage(comparisons, madeBy)
  }
  return (await import('./markdown/render-comparison.ts')).renderComparisonMarkdown(comparisons)
}
