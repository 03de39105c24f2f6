import type { Notes } from '../observability/request-log/request-record.ts'
import type { Credentials } from './authenticate.ts'

/** A request as it came in, its body not read yet. */
export interface Received {
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly credentials: Credentials
  readonly contentType: string | undefined
  /** Header fields by name in lower case. */
  readonly headers: TransportedHeaders
  /** `{base_url}` as this client addressed it: scheme and host, without a trailing slash. */
  readonly baseUrl: string
  /** @returns undefined when the body has more than `limitBytes`; rejects when the client goes away */
  readBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined>
  /** For the record. */
  readonly notes: Notes
}

/** Header fields as a transport gives them: a field that came several times may be a list. */
export interface TransportedHeaders {
  readonly authorization?: string | undefined
  readonly 'content-type'?: string | undefined
  readonly [name: string]: string | readonly string[] | undefined
}

/** What a transport (socket or in-process call) knows of a request. */
export interface Transported {
  readonly method: string
  readonly target: string
  readonly headers: TransportedHeaders
  readonly baseUrl: string
  /** What it came by, where requests that share it follow one another: a connection. */
  readonly channel?: object
  /** When it came in, on the clock's monotonic scale; absent: now. */
  readonly arrivedAtMs?: number
  /** At once where the body is there, else when it is. */
  readBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined>
}

/** Takes a request from its transport. */
export function receive(notes: Notes): Received {
  const { transported } = notes
  const { target, method } = transported
  return {
    method,
    path: pathOf(target),
    credentials: notes.credentials,
    contentType: transported.headers['content-type'],
    headers: transported.headers,
    baseUrl: transported.baseUrl,
    readBody: (limitBytes) => readAndNote(notes, limitBytes),
    notes,
  }
}

function readAndNote(notes: Notes, limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> {
  const read = notes.transported.readBody(limitBytes)
  const note = (body: Buffer | undefined) => {
    notes.keepBody(body)
    return body
  }
  return read instanceof Promise ? read.then(note) : note(read)
}

/** The path of a request target in origin form or, as sent to proxies, absolute form (RFC 9112, section 3.2). */
export function pathOf(target: string): string {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const query = origin.indexOf('?')
  return query === -1 ? origin : origin.slice(0, query)
}
