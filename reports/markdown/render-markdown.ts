import type { ResultDocument } from '../documents.ts'
import { fitMarkdown } from './escape.ts'
import { renderConformanceParts } from './conformance-parts.ts'
import { renderLoadParts } from './load-parts.ts'
import { renderProveParts } from './prove-parts.ts'

/** Renders a document of any kind as Markdown of at most 65,000 bytes. */
export function renderMarkdown(document: ResultDocument): string {
  switch (document.kind) {
    case 'conformance':
      return fitMarkdown(renderConformanceParts(document))
    case 'load':
      return fitMarkdown(renderLoadParts(document))
    case 'prove':
      return fitMarkdown(renderProveParts(document))
  }
}
