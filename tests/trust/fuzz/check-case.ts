import { ERROR_STATUSES } from '../../../contract/facts.ts'
import type { FuzzCase } from './generate-cases.ts'
import type { ConnectionResult } from './send-case.ts'
import { parseResponses } from './read-responses.ts'

/**
 * Statuses that a response to a request to /v1 may have: 200 and the client errors of section 7. Responses to protocol
 * errors must use them too, so 408, 413 and 431 are not permitted.
 */
const API_STATUSES: readonly number[] = [200, ...ERROR_STATUSES.map(({ code }) => code).filter((code) => code !== 500)]
/** Additional statuses of the control API, which is not part of the specification. */
const CONTROL_STATUSES: readonly number[] = [204, 403, 409, 413, 415]

export interface FuzzCaseResult {
  readonly statuses: readonly number[]
  /** Description of the first error; absent if all responses are correct. */
  readonly failure?: string
}

/**
 * Checks the responses to a case: their syntax, their statuses and, for valid messages, their number. A connection that
 * is still open at the deadline is an error.
 */
export function checkCase({ kind, messages }: FuzzCase, { received, end }: ConnectionResult): FuzzCaseResult {
  const { statuses, isTruncated, announcesClose, unexpected } = parseResponses(
    received,
    // The response to an invalid HEAD request has a body, because the server could not parse the method.
    (index, isLast) => messages[index]?.isHead === true && (kind === 'valid' || !isLast),
  )
  const failure = (text: string) => ({ statuses, failure: text })
  if (end === 'hang') return failure(`still open at the deadline; responses so far: ${statuses.join(', ')}`)
  if (end === 'refused') return failure('the connection was refused')
  if (unexpected !== undefined) return failure(`no response, but ${JSON.stringify(unexpected)}`)
  const usesControlApi = messages.some(({ bytes }) => bytes.includes('/__emulator'))
  const allowed = usesControlApi ? [...API_STATUSES, ...CONTROL_STATUSES] : API_STATUSES
  const wrong = statuses.find((status) => !allowed.includes(status))
  if (wrong !== undefined) return failure(`a status that is not in the table: ${wrong}`)
  if (kind !== 'valid') return { statuses }
  // A server may reject a request and close the connection before it has read the body. A TCP reset can then discard
  // the response before the client reads it (RFC 9112, section 9.6).
  if (end === 'reset') return { statuses }
  const isEnough = statuses.length === messages.length || (announcesClose && statuses.length < messages.length)
  if (!isEnough || isTruncated) {
    return failure(
      `${statuses.length} responses to ${messages.length} messages${isTruncated ? ', the last one truncated' : ''} (${end})`,
    )
  }
  return { statuses }
}
