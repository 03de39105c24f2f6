import type { ResponseEntry } from '../../reports/conformance-document.ts'

const MAX_QUOTED_CHARACTERS = 200

/** Describes a recorded response by its status and the start of its body. */
export function describeEvidence({ status, body }: Pick<ResponseEntry, 'status' | 'body'>): string {
  const quoted = quoteBody(body)
  return `returned ${status}${quoted === '' ? ' without a body' : `: ${quoted}`}`
}

/** Returns the start of a body in one line, without characters that control the terminal. */
export function quoteBody(body: string): string {
  const line = body.replaceAll(/[\s\p{C}]+/gu, ' ').trim()
  return line.length > MAX_QUOTED_CHARACTERS ? `${line.slice(0, MAX_QUOTED_CHARACTERS)}…` : line
}
