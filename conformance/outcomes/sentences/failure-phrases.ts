import type { ExchangeError } from '../../http/exchange.ts'

/** How a request ended without a complete response. `truncated` means that the connection ended during the response. */
export type FailureLabel = ExchangeError | 'truncated'

interface FailurePhrases {
  /** Noun phrase that follows `gets`. */
  readonly noun: string
  /** Verb phrases whose subject is one target or endpoint, and several. */
  readonly singular: string
  readonly plural: string
  readonly past: string
}

const NO_RESPONSE: FailurePhrases = {
  noun: 'no response',
  singular: 'sends no response',
  plural: 'send no response',
  past: 'sent no response',
}

const FAILURES: Readonly<Record<FailureLabel, FailurePhrases>> = {
  timeout: {
    noun: 'no response in time',
    singular: 'does not respond in time',
    plural: 'do not respond in time',
    past: 'did not respond in time',
  },
  'closed-early': {
    noun: 'a closed connection without a response',
    singular: 'closes the connection without a response',
    plural: 'close the connection without a response',
    past: 'closed the connection without a response',
  },
  truncated: {
    noun: 'a truncated response',
    singular: 'truncates its response',
    plural: 'truncate their responses',
    past: 'closed the connection before the response was complete',
  },
  reset: {
    noun: 'a reset connection',
    singular: 'resets the connection',
    plural: 'reset the connection',
    past: 'reset the connection',
  },
  malformed: {
    noun: 'a response that is not HTTP',
    singular: 'sends a response that is not HTTP',
    plural: 'send responses that are not HTTP',
    past: 'sent a response that is not HTTP',
  },
  refused: { ...NO_RESPONSE, noun: 'a refused connection', past: 'refused the connection' },
  'too-large': { ...NO_RESPONSE, past: 'sent a response that exceeds the size limit of the suite' },
  tls: { ...NO_RESPONSE, past: 'had no trusted TLS certificate' },
  'not-tls': { ...NO_RESPONSE, past: 'did not use TLS' },
  'http-version': { ...NO_RESPONSE, past: 'did not accept HTTP/1.1' },
  dns: { ...NO_RESPONSE, past: 'had no address' },
  interrupted: NO_RESPONSE,
  'spend-limit': NO_RESPONSE,
}

/** Returns the phrases of a failure, or undefined if the text is none, such as a status. */
export function findFailurePhrases(text: string): FailurePhrases | undefined {
  const found = Object.entries(FAILURES).find(([label]) => label === text)
  return found?.[1]
}

/** Returns the label of a failure: its error, or `truncated` if the connection ended during the response. */
export function labelFailure(error: ExchangeError, actualStatus: number): FailureLabel {
  return actualStatus > 0 && (error === 'closed-early' || error === 'reset') ? 'truncated' : error
}

/** Describes a failure as a verb phrase in the past tense, e.g. `closed the connection without a response`. */
export function describeFailure(error: ExchangeError, actualStatus: number): string {
  return FAILURES[labelFailure(error, actualStatus)].past
}
