import type { CheckEntry } from './conformance-document.ts'

/** What was tried, without the words with which such titles begin. */
export function describeRequest({ title }: CheckEntry): string {
  return title.replace(/^what the target does (?:with|after) /, '')
}

/** What the target did, without what was tried where that stands before it. */
export function describeBehaviour(check: CheckEntry): string {
  const subject = `${describeRequest(check)}: `
  return check.actual.startsWith(subject) ? check.actual.slice(subject.length) : check.actual
}
