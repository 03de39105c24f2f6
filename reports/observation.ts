import type { CheckEntry } from './conformance-document.ts'

/** Describes the request of an observation: the title without a prefix such as `what the target does with`. */
export function describeRequest({ title }: CheckEntry): string {
  return title.replace(/^(?:what the target does (?:with|after)|the (?:handling of|behaviour after)) /, '')
}

/** Describes the observed behaviour, without the request, which reports show separately. */
export function describeBehaviour(check: CheckEntry): string {
  const subject = `${describeRequest(check)}: `
  return check.actual.startsWith(subject) ? check.actual.slice(subject.length) : check.actual
}
