import type { ResultDocument } from '../documents.ts'
import { fitMarkdown } from './escape.ts'
import { conformanceParts } from './conformance-parts.ts'
import { loadParts } from './load-parts.ts'
import { proveParts } from './prove-parts.ts'

/** A document of any sort as Markdown, of at most 65,000 bytes. */
export function renderMarkdown(document: ResultDocument): string {
  switch (document.kind) {
    case 'conformance':
      return fitMarkdown(conformanceParts(document))
    case 'load':
      return fitMarkdown(loadParts(document))
    case 'prove':
      return fitMarkdown(proveParts(document))
  }
}
