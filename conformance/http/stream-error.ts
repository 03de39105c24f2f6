import { hasBrokenDown } from './breakdown.ts'
import { isJsonObject } from '../../common/json-object.ts'
import { getMember, parseJson } from './decode-body.ts'
import type { Exchange } from './exchange.ts'

export interface StreamError {
  readonly form: 'event-name' | 'type' | 'error-member'
  /** Data of the event, or the error that it contains. */
  readonly actual: unknown
}

/** Finds an event that reports an error, which shows that the target did not serve the request. */
export function findStreamError({ events }: Pick<Exchange, 'events'>): StreamError | undefined {
  const named = events.find(({ event }) => event === 'error')
  if (named !== undefined) return { form: 'event-name', actual: named.data }
  const chunks = events.map(({ data }) => parseChunk(data))
  const typed = chunks.find((chunk) => getMember(chunk, 'type') === 'error')
  if (typed !== undefined) return { form: 'type', actual: typed }
  const reported = chunks.map((chunk) => getMember(chunk, 'error')).find(isError)
  return reported === undefined ? undefined : { form: 'error-member', actual: reported }
}

/** Returns whether a 2xx response contains an error in place of a result. */
export function hasErrorBody({ status, error, json }: Pick<Exchange, 'status' | 'error' | 'json'>): boolean {
  const isSuccess = error === undefined && status >= 200 && status < 300
  return isSuccess && isError(getMember(json, 'error'))
}

/** Returns whether the target failed, or reports a failure with a success status. */
export function hasServerError(exchange: Exchange): boolean {
  return hasBrokenDown(exchange) || findStreamError(exchange) !== undefined || hasErrorBody(exchange)
}

function isError(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || isJsonObject(value)
}

/** Skips chunks that cannot contain an error, because parsing all chunks of a long stream takes time. */
function parseChunk(text: string): unknown {
  return text.includes('"error"') ? parseJson(text) : undefined
}
