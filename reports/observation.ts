import type { CheckEntry } from './conformance-document.ts'

/** What was tried, without the words with which such titles begin. */
export function subjectOf({ title }: CheckEntry): string {
  return title.replace(/^what the target does (?:with|after) /, '')
}

/** What the target did, without what was tried where that stands before it. */
export function answerOf(check: CheckEntry): string {
  const subject = `${subjectOf(check)}: `
  return check.actual.startsWith(subject) ? check.actual.slice(subject.length) : check.actual
}
