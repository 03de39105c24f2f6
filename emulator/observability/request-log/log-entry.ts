import { KEY_PREFIX, OPERATIONS, type ModelId, type Operation } from '../../../contract/facts.ts'
import type { ApiErrorCode } from '../../core/api-errors.ts'
import { pathOf } from '../../core/receive.ts'
import { creditsFromUnits } from '../../state/credits.ts'
import { keySuffixOf, type Client } from '../client-identity.ts'
import type { Notes } from './request-record.ts'

/** One request under /v1 as the journal shows it. It never has a key. */
export interface RequestLogEntry {
  /** Ascends with the end of answers, from 1: what `after` takes. */
  readonly seq: number
  /** Id that the answer carried in `x-request-id`. */
  readonly id: string
  /** When it came in, ISO 8601. */
  readonly time: string
  /** Likewise, on the scale of the emulator's monotonic clock: for differences. */
  readonly atMs: number
  /** Null: no account has the key, or there was none. */
  readonly account: string | null
  /** The last four characters of the key. */
  readonly keySuffix: string | null
  readonly method: string
  /** Without query, keys masked. */
  readonly path: string
  /** Null for a path that is no endpoint. */
  readonly operation: Operation | null
  /** Null where the request did not get as far. */
  readonly model: ModelId | null
  /** Null: the client left, or the connection was broken off, before an answer began. */
  readonly status: number | null
  readonly refused: ApiErrorCode | null
  readonly fault: string | null
  /** Tokens that were used, prompt and answer. */
  readonly tokens: number
  /** Decimal string. */
  readonly charged: string
  /** From the request's arrival to the first byte of the response body. */
  readonly ttftMs: number | null
  /** To its last one, or to when the client left. */
  readonly totalMs: number
  readonly stream: boolean
  readonly bytesIn: number
  readonly bytesOut: number
  readonly clientLeft: boolean
  /** Hex, of the response body as it was sent; only where digests are kept. */
  readonly bodySha256?: string
  /** The first bytes of both bodies as text, keys masked; only where bodies are kept. */
  readonly bodies?: { readonly request: string; readonly response: string }
}

/** An entry as it is kept: numbers are made into texts only where somebody reads them. */
export interface StoredEntry extends Omit<RequestLogEntry, 'time' | 'charged'> {
  readonly unixMs: number
  /** Units of 0.0001 credit. */
  readonly chargedUnits: number
}

/** Longer paths are cut. */
const MAX_PATH_CHARACTERS = 256

const OPERATION_AT: ReadonlyMap<string, Operation> = new Map(
  Object.entries(OPERATIONS).map(([operation, { path }]) => [path, operation as Operation]), // entries forget the type
)

/** The operation whose path a request has, whatever its method. */
export function operationAt(path: string): Operation | undefined {
  return OPERATION_AT.get(path)
}

/** Writes down what was noted of a request that is over. `keptBytes` of each body are kept. */
export function createEntry(seq: number, notes: Notes, client: Client, keptBytes: number): StoredEntry {
  const { arrived, ended, status } = notes
  const path = pathOf(notes.transported.target)
  const entry = {
    seq,
    id: notes.requestId,
    unixMs: notes.arrivedAtUnixMs,
    atMs: arrived.atMs,
    account: client.account,
    keySuffix: client.keySuffix,
    method: notes.transported.method,
    path: maskKeys(path.slice(0, MAX_PATH_CHARACTERS)),
    operation: operationAt(path) ?? null,
    model: notes.model ?? null,
    status: status ?? null,
    refused: notes.refused ?? null,
    fault: notes.fault ?? null,
    tokens: notes.usedTokens,
    chargedUnits: notes.chargedUnits,
    ttftMs: notes.firstWriteAtMs === undefined ? null : notes.firstWriteAtMs - arrived.atMs,
    totalMs: ended === undefined ? 0 : ended.atMs - arrived.atMs,
    stream: notes.isStream,
    bytesIn: notes.bytesIn,
    bytesOut: notes.bytesOut,
    clientLeft: notes.hasClientLeft,
    ...(notes.responseHash === undefined ? {} : { bodySha256: notes.responseHash.digest('hex') }),
  }
  if (keptBytes === 0) return entry
  const request = maskKeys(notes.body?.subarray(0, keptBytes).toString('utf8') ?? '')
  return { ...entry, bodies: { request, response: maskKeys(Buffer.concat(notes.responseHead).toString('utf8')) } }
}

/** An entry as it is shown. */
export function formatEntry({ seq, id, unixMs, chargedUnits, ...others }: StoredEntry): RequestLogEntry {
  const { ttftMs, totalMs } = others
  return {
    seq,
    id,
    time: new Date(unixMs).toISOString(),
    charged: creditsFromUnits(chargedUnits),
    ...others,
    ttftMs: ttftMs === null ? null : roundToMicroseconds(ttftMs),
    totalMs: roundToMicroseconds(totalMs),
  }
}

/** More digits would be noise. */
function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** Puts `sk-svc-…abcd` where a key stands. */
function maskKeys(text: string): string {
  if (!text.includes(KEY_PREFIX)) return text
  return text.replaceAll(/sk-svc-[\w.~%-]*/g, (key) => `${KEY_PREFIX}…${keySuffixOf(key) ?? ''}`)
}
