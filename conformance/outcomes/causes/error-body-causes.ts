import { parseJson } from '../../http/decode-body.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import type { Outcome } from '../outcome.ts'
import { createPossibleCause, type CheckFinding, type PossibleCause } from './finding.ts'
import { isRule } from './run-facts.ts'
import { describeMediaType, detectErrorFormat, nameErrorResponses } from './title-parts.ts'

export function isAboutErrorBody(outcome: Outcome): boolean {
  return isRule(outcome, 'error-body')
}

/** Creates the possible cause that errors have a wrong media type, although their bodies are JSON. */
export function errorTypeCause(mediaType: string): PossibleCause {
  return createPossibleCause(
    `error type ${mediaType}`,
    `JSON errors have ${describeMediaType(mediaType)} instead of \`application/json\``,
  )
}

/** Returns the possible causes of an error body that is not JSON, or that lacks a field that client SDKs read. */
export function errorBodyCauses(path: string, { entry }: CheckFinding): PossibleCause[] {
  const families = [createPossibleCause('error bodies', 'Error bodies do not have the shape that client SDKs expect')]
  const format = detectFormat(entry)
  const describe = (subject: string): string => {
    if (format === 'empty') return `${subject} have an empty body`
    if (format === 'JSON') return `Error bodies lack \`${path}\``
    if (format === 'invalid JSON') return `${subject} have a body that is not valid JSON`
    return `${subject} are ${format === 'other' ? 'not JSON' : `${format} instead of JSON`}`
  }
  const key = format === 'JSON' ? `error ${path}` : `error ${format}`
  return [{ key, title: (members) => describe(nameErrorResponses(members) ?? 'Errors'), families }]
}

/** Detects the format of the last response. Distinguishes a complete body that only starts like JSON. */
function detectFormat(entry: CheckEntry): ReturnType<typeof detectErrorFormat> | 'invalid JSON' {
  const format = detectErrorFormat(entry)
  const errors = (entry.evidence ?? []).filter(({ response }) => response !== null && response.status >= 400)
  const last = errors.at(-1) ?? entry.evidence?.at(-1)
  const isComplete = last !== undefined && !last.truncated
  const isInvalid = format === 'JSON' && isComplete && parseJson(last.response?.body ?? '') === undefined
  return isInvalid ? 'invalid JSON' : format
}
