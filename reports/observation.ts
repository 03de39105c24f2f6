import type { CheckEntry } from './conformance-document.ts'

/** Describes the request of an observation: the check's title without the words with which all these titles start. */
export function describeRequest({ title }: CheckEntry): string {
  return title.replace(/^(?:what the target does (?:with|after)|the (?:handling of|behaviour after)) /, '')
}

/** Describes the observed behaviour. Removes a description of the request from the start of the text. */
export function describeBehaviour(check: CheckEntry): string {
  const subject = `${describeRequest(check)}: `
  return check.actual.startsWith(subject) ? check.actual.slice(subject.length) : check.actual
}
