import type { RunDocument } from '../documents.ts'
import { listRuns } from '../gateway-run.ts'
import { fitMarkdown } from './escape.ts'
import { renderConformanceSections } from './conformance-sections.ts'
import { renderLoadSections } from './load-sections.ts'

/** Renders a document as Markdown of at most 65,000 bytes. */
export function renderMarkdown(document: RunDocument): string {
  switch (document.kind) {
    case 'conformance':
      return fitMarkdown(listRuns(document).flatMap(renderConformanceSections))
    case 'load':
      return fitMarkdown(renderLoadSections(document))
  }
}
