import { STATUSES } from '../../contract/facts.ts'
import type { Case } from './cases.ts'
import type { Exchange } from './exchange.ts'
import { parseResponses } from './read-responses.ts'

/**
 * Statuses that a client can provoke under /v1: those of section 7, and success. Statuses such as 408, 413 and 431 are
 * not in that table.
 */
const OF_THE_TABLE: readonly number[] = [200, ...STATUSES.map(({ code }) => code).filter((code) => code !== 500)]
/** Further statuses of the control API, which the specification does not cover. */
const OF_CONTROL: readonly number[] = [204, 403, 409, 413, 415]

/** Result of one case. */
export interface CaseResult {
  readonly statuses: readonly number[]
  /** Description of the error; absent if the case is correct. */
  readonly failure?: string
}

/** Checks a case: each valid message needs a response; an invalid one needs a response or a closed connection. */
export function checkCase({ kind, messages }: Case, { received, end }: Exchange): CaseResult {
  const { statuses, isCut, announcesClose, stray } = parseResponses(
    received,
    // The error response to an invalid message has a body, because its method is unknown.
    (index, isLast) => messages[index]?.isHead === true && (kind === 'sound' || !isLast),
  )
  const failure = (text: string) => ({ statuses, failure: text })
  if (end === 'hang') return failure(`still open at the deadline; responses so far: ${statuses.join(', ')}`)
  if (end === 'refused') return failure('the connection was refused')
  if (stray !== undefined) return failure(`no response, but ${JSON.stringify(stray)}`)
  const asksControl = messages.some(({ bytes }) => bytes.includes('/__emulator'))
  const allowed = asksControl ? [...OF_THE_TABLE, ...OF_CONTROL] : OF_THE_TABLE
  const wrong = statuses.find((status) => !allowed.includes(status))
  if (wrong !== undefined) return failure(`a status that is not in the table: ${wrong}`)
  if (kind !== 'sound') return { statuses }
  // A server that rejects a request before its body arrived, and closes, may destroy the response on its way (RFC 9112,
  // section 9.6).
  if (end === 'reset') return { statuses }
  const isEnough = statuses.length === messages.length || (announcesClose && statuses.length < messages.length)
  if (!isEnough || isCut) {
    return failure(
      `${statuses.length} responses to ${messages.length} messages${isCut ? ', the last one cut' : ''} (${end})`,
    )
  }
  return { statuses }
}
