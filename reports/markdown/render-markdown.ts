import type { RunDocument } from '../documents.ts'
import { fitMarkdown } from './escape.ts'
import { renderConformanceSections } from './conformance-sections.ts'
import { renderLoadSections } from './load-sections.ts'

/** Renders a document as Markdown of at most 65,000 bytes. */
export function renderMarkdown(document: RunDocument): string {
  switch (document.kind) {
    case 'conformance':
      return fitMarkdown(renderConformanceSections(document))
    case 'load':
      return fitMarkdown(renderLoadSections(document))
  }
}
