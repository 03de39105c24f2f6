import type { EmulatorInstance } from './pipeline.ts'
import { authenticate } from './authenticate.ts'
import { isApiError } from './api-errors.ts'
import type { Notes } from '../observability/request-log/request-record.ts'
import { rateLimitHeaders } from '../state/limits/account-limiters.ts'
import type { ResponseWriter } from './response-writer.ts'

/**
 * A sink that tells the client where it stands with its rate limit, at the moment at which the answer begins. Here and not in
 * a stage, so that every answer to an account with a limit has it, however the request fared; others pass as they are.
 */
export function tellLimits(sink: ResponseWriter, notes: Notes, instance: EmulatorInstance): ResponseWriter {
  const { decisions } = instance.settings
  if (decisions['rate-limit-headers'] === 'none' || notes.credentials.account?.limiters === undefined) return sink
  const known = authenticate({ credentials: notes.credentials }, decisions)
  const limiter = isApiError(known) ? undefined : known.account.limiters
  if (limiter === undefined) return sink
  return {
    start: (status, headers) => sink.start(status, { ...headers, ...rateLimitHeaders(limiter) }),
    write: (piece) => sink.write(piece),
    end: (piece) => sink.end(piece),
    abort: () => sink.abort(),
    abortAfterFlush: (how) => sink.abortAfterFlush(how),
    isClosed: () => sink.isClosed(),
    onDrain: (listener) => sink.onDrain(listener),
    onClose: (listener) => sink.onClose(listener),
  }
}
