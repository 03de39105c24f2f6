import { formatRunVerdict } from './conformance-verdict.ts'
import type { Comparison } from './compare/comparison.ts'
import { compareConformance } from './compare/compare-conformance.ts'
import { compareLoad } from './compare/compare-load.ts'
import { InvalidDocumentError, type ResultDocument } from './documents.ts'

export interface NamedResultDocument {
  readonly name: string
  readonly document: ResultDocument
}

/** Lists the changes between two runs. Throws an {@link InvalidDocumentError} for different kinds. */
export function compareDocuments(before: NamedResultDocument, after: NamedResultDocument): Comparison {
  const [old, now] = [before.document, after.document]
  const runs = { before: runOf(before), after: runOf(after) }
  if (old.kind === 'conformance' && now.kind === 'conformance') {
    return { kind: 'conformance', ...runs, ...compareConformance(old, now) }
  }
  if (old.kind === 'load' && now.kind === 'load') {
    if (old.scenario !== now.scenario) {
      throw new InvalidDocumentError(
        `these runs have two scenarios, ${old.scenario} (${before.name}) and ${now.scenario} (${after.name}): compare runs of the same scenario`,
      )
    }
    return { kind: 'load', ...runs, ...compareLoad(old, now) }
  }
  throw new InvalidDocumentError(
    `these documents cannot be compared, ${old.kind} (${before.name}) and ${now.kind} (${after.name}): give two of conformance, or two of load`,
  )
}

function runOf({ name, document }: NamedResultDocument): Comparison['before'] {
  const target = document.kind === 'prove' ? '' : document.target.url
  const verdict = document.kind === 'conformance' ? formatRunVerdict(document) : document.verdict
  return { name, target, startedAt: document.startedAt, verdict }
}
