import type { ResultDocument } from '../documents.ts'
import { fitMarkdown } from './escape.ts'
import { renderConformanceSections } from './conformance-sections.ts'
import { renderLoadSections } from './load-sections.ts'
import { renderProveSections } from './prove-sections.ts'

/** Renders a document of any kind as Markdown of at most 65,000 bytes. */
export function renderMarkdown(document: ResultDocument): string {
  switch (document.kind) {
    case 'conformance':
      return fitMarkdown(renderConformanceSections(document))
    case 'load':
      return fitMarkdown(renderLoadSections(document))
    case 'prove':
      return fitMarkdown(renderProveSections(document))
  }
}
