import { STATUSES } from '../../contract/facts.ts'
import type { Case } from './cases.ts'
import type { Exchange } from './exchange.ts'
import { readAnswers } from './read-answers.ts'

/** What a client can provoke of the table of section 7, and success. The rest that HTTP knows (408, 413, 431, …) is none of it. */
const OF_THE_TABLE: readonly number[] = [200, ...STATUSES.map(({ code }) => code).filter((code) => code !== 500)]
/** What the control interface has beside these: it is outside of the document. */
const OF_CONTROL: readonly number[] = [204, 403, 409, 413, 415]

/** What is to be said of one case. */
export interface Judgement {
  readonly statuses: readonly number[]
  /** Absent: it is as it has to be. */
  readonly fault?: string
}

/** Says whether a case went as it has to: an answer to each message that HTTP allows, an answer or an end to all others. */
export function judge({ kind, messages }: Case, { received, end }: Exchange): Judgement {
  const { statuses, isCut, saysClose, stray } = readAnswers(
    received,
    // What is no request gets its refusal with a body: nobody can say that it asked for a head alone.
    (index, isLast) => messages[index]?.isHead === true && (kind === 'sound' || !isLast),
  )
  const fault = (text: string) => ({ statuses, fault: text })
  if (end === 'hang') return fault(`nothing had ended after a long time; answers so far: ${statuses.join(', ')}`)
  if (end === 'refused') return fault('there was no connection')
  if (stray !== undefined) return fault(`no answer, but ${JSON.stringify(stray)}`)
  const asksControl = messages.some(({ bytes }) => bytes.includes('/__emulator'))
  const allowed = asksControl ? [...OF_THE_TABLE, ...OF_CONTROL] : OF_THE_TABLE
  const wrong = statuses.find((status) => !allowed.includes(status))
  if (wrong !== undefined) return fault(`a status that is not in the table: ${wrong}`)
  if (kind !== 'sound') return { statuses }
  // Who refuses before the body is there, and closes as asked, may take the answer from the client (RFC 9112, section 9.6).
  if (end === 'reset') return { statuses }
  const isEnough = statuses.length === messages.length || (saysClose && statuses.length < messages.length)
  if (!isEnough || isCut) {
    return fault(
      `${statuses.length} answers to ${messages.length} messages${isCut ? ', the last one cut' : ''} (${end})`,
    )
  }
  return { statuses }
}
