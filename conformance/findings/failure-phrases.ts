import type { ExchangeError } from '../http/exchange.ts'

/** How a response failed. `truncated`: the connection ended within it. `wrong-length`: its body has another length. */
type FailureLabel = ExchangeError | 'truncated' | 'wrong-length'

/** Phrases for failures: a noun phrase that follows `gets`, and a verb phrase in the past tense. */
const FAILURES: Readonly<Record<FailureLabel, readonly [noun: string, past: string]>> = {
  timeout: ['no response in time', 'did not respond in time'],
  'closed-early': ['a closed connection without a response', 'closed the connection without a response'],
  truncated: ['a truncated response', 'closed the connection before the response was complete'],
  reset: ['a reset connection', 'reset the connection'],
  'wrong-length': [
    'a body that does not match its Content-Length or Transfer-Encoding',
    'sent a body that does not match its Content-Length or Transfer-Encoding',
  ],
  'wrong-encoding': [
    'a body that does not match its Content-Encoding',
    'sent a body that does not match its Content-Encoding',
  ],
  malformed: ['a response that is not HTTP', 'sent a response that is not HTTP'],
  refused: ['a refused connection', 'refused the connection'],
  'too-large': ['no response', 'sent a response that exceeds the size limit of the suite'],
  tls: ['no response', 'had no trusted TLS certificate'],
  'not-tls': ['no response', 'did not use TLS'],
  'http-version': ['no response', 'did not accept HTTP/1.1'],
  dns: ['no response', 'had no address'],
  interrupted: ['no response', 'sent no response'],
  'spend-limit': ['no response', 'sent no response'],
}

/** Returns the code of a failure, which distinguishes its phrases. */
export function labelFailure(error: ExchangeError, actualStatus: number): FailureLabel {
  if (actualStatus === 0) return error
  if (error === 'malformed') return 'wrong-length'
  return error === 'closed-early' || error === 'reset' ? 'truncated' : error
}

/** Describes a failure as a noun phrase that follows `gets`, e.g. `no response in time`. */
export function describeFailureNoun(error: ExchangeError, actualStatus: number): string {
  return FAILURES[labelFailure(error, actualStatus)][0]
}

/** Describes a failure as a verb phrase in the past tense, e.g. `closed the connection without a response`. */
export function describeFailure(error: ExchangeError, actualStatus: number): string {
  return FAILURES[labelFailure(error, actualStatus)][1]
}

/** Describes a status, or the error of a request without a complete response, as a noun phrase. */
export function describeResponseKind(kind: string): string {
  return Object.entries(FAILURES).find(([label]) => label === kind)?.[1][0] ?? kind
}
