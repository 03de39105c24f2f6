import { basename, join } from 'node:path'
import { InvalidDocumentError, type ResultDocument } from './documents.ts'
import { writeFileAtomically } from './write-document.ts'

export const REPORT_FORMATS = ['html', 'junit', 'markdown', 'badge'] as const

export type ReportFormat = (typeof REPORT_FORMATS)[number]

const ENDINGS: Readonly<Record<ReportFormat, string>> = {
  html: '.html',
  junit: '.junit.xml',
  markdown: '.md',
  badge: '.svg',
}

/** Writes reports with the base name of the document at `path`. Returns their paths. */
export async function writeReports(
  document: ResultDocument,
  { path, directory, formats }: { path: string; directory: string; formats: readonly ReportFormat[] },
): Promise<string[]> {
  const name = basename(path).replace(/\.json(?:\.gz)?$/, '')
  const written: string[] = []
  for (const format of formats) {
    const file = join(directory, name + ENDINGS[format])
    await writeFileAtomically(file, await renderReport(document, format))
    written.push(file)
  }
  return written
}

/** Renders a document in one format. Throws an {@link InvalidDocumentError} if its kind has no such format. */
export async function renderReport(document: ResultDocument, format: ReportFormat): Promise<string> {
  if (format === 'html') return renderPageOf(document)
  if (document.kind === 'prove') {
    throw new InvalidDocumentError(`a document of prove cannot be converted to ${format}: use --format html`)
  }
  switch (format) {
    case 'junit':
      return (await import('./junit/render-junit.ts')).renderJunit(document)
    case 'markdown':
      return (await import('./markdown/render-markdown.ts')).renderMarkdown(document)
    case 'badge':
      return (await import('./render-badge.ts')).renderBadge(document)
  }
}

async function renderPageOf(document: ResultDocument): Promise<string> {
  switch (document.kind) {
    case 'conformance':
      return (await import('./html/conformance/render-conformance-page.ts')).renderConformancePage(document)
    case 'load':
      return (await import('./html/load/render-load-page.ts')).renderLoadPage(document)
    case 'prove':
      return (await import('./html/prove/render-prove-page.ts')).renderProvePage(document)
  }
}
