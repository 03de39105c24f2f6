import { KEY_PREFIX, OPERATIONS, type ModelId, type Operation } from '../../../contract/facts.ts'
import type { ApiErrorCode } from '../../core/api-errors.ts'
import { formatUnits } from '../../state/credits.ts'
import { getKeySuffix, type Client } from '../client-identity.ts'
import type { RequestRecord } from '../request-record.ts'

/** One request under /v1 in the request log. It never contains a key. */
export interface RequestLogEntry {
  /** Sequence number in the order of finished responses, from 1. The parameter `after` takes it. */
  readonly seq: number
  /** Request id, as in the response header `x-request-id`. */
  readonly id: string
  /** Arrival, ISO 8601. */
  readonly time: string
  /** Arrival on the emulator's monotonic clock, in milliseconds, for differences. */
  readonly atMs: number
  /** Null if no account has the key, or no key was sent. */
  readonly account: string | null
  /** Last four characters of the key. */
  readonly keySuffix: string | null
  readonly method: string
  /** Path without query; keys are masked. */
  readonly path: string
  /** Null for a path that is not an endpoint. */
  readonly operation: Operation | null
  /** Null if the request failed before its model was read. */
  readonly model: ModelId | null
  /** Null if the connection ended before a response began. */
  readonly status: number | null
  readonly refused: ApiErrorCode | null
  readonly fault: string | null
  /** Used tokens, prompt and completion. */
  readonly tokens: number
  /** Charge in credits, a decimal string. */
  readonly charged: string
  /** Time from the arrival of the request to the first byte of the response body. */
  readonly ttftMs: number | null
  /** Time to the last byte, or to the disconnect of the client. */
  readonly totalMs: number
  readonly stream: boolean
  readonly bytesIn: number
  readonly bytesOut: number
  readonly clientLeft: boolean
  /** SHA-256 of the response body as sent, in hex; only with the option `digests`. */
  readonly bodySha256?: string
  /** Beginning of both bodies as text, with masked keys; only with the option `bodies`. */
  readonly bodies?: { readonly request: string; readonly response: string }
}

/** An entry as stored: values are formatted only when they are read. */
export interface StoredEntry extends Omit<RequestLogEntry, 'time' | 'charged'> {
  readonly unixMs: number
  /** In units of 0.0001 credit. */
  readonly chargedUnits: number
}

/** Longer paths are truncated. */
const MAX_PATH_CHARACTERS = 256

const OPERATION_AT: ReadonlyMap<string, Operation> = new Map(
  Object.entries(OPERATIONS).map(([operation, { path }]) => [path, operation as Operation]), // Object.entries loses the key type
)

/** Returns the operation with this path, for any method. */
export function findOperation(path: string): Operation | undefined {
  return OPERATION_AT.get(path)
}

/**
 * Creates the entry of a finished request.
 * @param keptBytes number of bytes kept of each body
 */
export function createEntry(seq: number, record: RequestRecord, client: Client, keptBytes: number): StoredEntry {
  const { request, origin, ended, firstWriteAtMs } = record
  const { path } = request
  const { arrived, arrivedAtUnixMs } = origin
  const entry = {
    seq,
    id: request.id,
    unixMs: arrivedAtUnixMs,
    atMs: arrived.atMs,
    account: client.account,
    keySuffix: client.keySuffix,
    method: request.method,
    path: maskKeys(path.slice(0, MAX_PATH_CHARACTERS)),
    operation: findOperation(path) ?? null,
    model: request.model ?? null,
    status: record.status ?? null,
    refused: request.errorCode ?? null,
    fault: request.faultId ?? null,
    tokens: request.usedTokens,
    chargedUnits: request.chargedUnits,
    ttftMs: firstWriteAtMs === undefined ? null : firstWriteAtMs - arrived.atMs,
    totalMs: ended === undefined ? 0 : ended.atMs - arrived.atMs,
    stream: record.isStream,
    bytesIn: record.bytesIn,
    bytesOut: record.bytesOut,
    clientLeft: record.hasClientLeft,
    ...(record.responseHash === undefined ? {} : { bodySha256: record.responseHash.digest('hex') }),
  }
  if (keptBytes === 0) return entry
  const requestBody = maskKeys(record.body?.subarray(0, keptBytes).toString('utf8') ?? '')
  return {
    ...entry,
    bodies: { request: requestBody, response: maskKeys(Buffer.concat(record.responseHead).toString('utf8')) },
  }
}

/** Formats an entry for the control API. */
export function formatEntry({ seq, id, unixMs, chargedUnits, ...others }: StoredEntry): RequestLogEntry {
  const { ttftMs, totalMs } = others
  return {
    seq,
    id,
    time: new Date(unixMs).toISOString(),
    charged: formatUnits(chargedUnits),
    ...others,
    ttftMs: ttftMs === null ? null : roundToMicroseconds(ttftMs),
    totalMs: roundToMicroseconds(totalMs),
  }
}

/** Rounds to microseconds. */
function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** Replaces keys by `sk-svc-…abcd`. */
function maskKeys(text: string): string {
  if (!text.includes(KEY_PREFIX)) return text
  return text.replaceAll(/sk-svc-[\w.~%-]*/g, (key) => `${KEY_PREFIX}…${getKeySuffix(key) ?? ''}`)
}
