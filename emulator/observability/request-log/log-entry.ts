import { omitUndefined } from '../../../common/json-object.ts'
import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import { isSecretName } from '../../../common/secrets/secret-values.ts'
import type { TextMask } from '../../../common/secrets/text-mask.ts'
import type { ApiErrorCode } from '../../core/api-errors.ts'
import type { ObservedRequest, Truncation } from '../../core/events.ts'
import type { ServedOperationName } from '../../operations/served-operations.ts'
import { roundToMicroseconds } from '../../state/clock.ts'
import { formatUnits } from '../../state/credits.ts'
import type { ClientIdentity } from '../client-identity.ts'
import { listRequestSecrets } from '../request-mask.ts'
import type { RequestRecord, UploadRecord } from '../request-record.ts'

/** A request under /v1, as the request log shows it. Secrets of the request are masked. */
export interface RequestLogEntry {
  /** Sequence number in the order in which responses ended, starting at 1. The query parameter `after` refers to it. */
  readonly seq: number
  /** Id of the request, as in the response header `x-request-id`. */
  readonly id: string
  /** Arrival time, in ISO 8601 format. */
  readonly time: string
  /** Arrival time on the emulator's monotonic clock, in milliseconds. Differences between entries are exact. */
  readonly atMs: number
  /** Account id. Null if the request has no key, or if no account has its key. */
  readonly account: string | null
  /** Fingerprint of the key, such as `sha256:1f3870be`, or `(hidden)` for a short key. Null without a key. */
  readonly keyFingerprint: string | null
  /** Value of the request header `x-client-request-id`. Present only if the client sent one. */
  readonly clientRequestId?: string
  /** ID of the chat completion in the response body. Present only if the response has one. */
  readonly completionId?: string
  readonly method: string
  /** Path without query. */
  readonly path: string
  /** Operation of the path. Null if the path is not an endpoint. */
  readonly operation: ServedOperationName | null
  /** Model of the request. Null if the request was rejected before its model was parsed. */
  readonly model: string | null
  /** HTTP status of the response. Null if the connection closed before the response started. */
  readonly status: number | null
  readonly refused: ApiErrorCode | null
  /** Id of the injected fault. Null if no fault was injected. */
  readonly fault: string | null
  /** Id of the fixture that matched the request. Null if no fixture matched. */
  readonly fixture: string | null
  /**
   * Number of tokens of the fixture's message, and the maximum of the request. Present only if `max_tokens` truncated the
   * message.
   */
  readonly truncation?: Truncation
  /** Names of the request fields that had no effect. */
  readonly ignoredFields: readonly string[]
  /** Number of prompt and completion tokens used. */
  readonly tokens: number
  /** Number of reasoning tokens among the completion tokens. Present only if there are any. */
  readonly reasoningTokens?: number
  /** Charge in credits, as a decimal string. */
  readonly charged: string
  /**
   * Time for which the request waited for a slot, in milliseconds; 0 if it got one immediately. Present only if the option
   * `slots` is set and the request needs a slot.
   */
  readonly queuedMs?: number
  /**
   * Time from the arrival of the request to the first byte of the response body, in milliseconds. Null if the response
   * has no body.
   */
  readonly ttftMs: number | null
  /**
   * Time from the arrival of the request to the last byte of the response, or to the client's disconnect, in
   * milliseconds.
   */
  readonly totalMs: number
  readonly stream: boolean
  readonly bytesIn: number
  readonly bytesOut: number
  readonly clientLeft: boolean
  /** What the emulator had sent when the client disconnected. Present only if `clientLeft` is true. */
  readonly left?: SentBeforeDisconnect
  /** SHA-256 of the sent response body, in hex. Present only if the log option `digests` is set. */
  readonly bodySha256?: string
  /**
   * SHA-256 of the text in a chat completion, in hex. Present only if the request has the header `x-client-request-id`
   * and the response has an ID.
   */
  readonly textSha256?: string
  /** Version of HTTP of the request, such as `1.1`. Present only if the log option `bodies` is set. */
  readonly httpVersion?: string
  /**
   * Header fields of the request by lower-case name. Values with secrets are fingerprints. Present only if the log option
   * `bodies` is set.
   */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** File of a multipart form; the last one of several. Present only if the log option `bodies` is set. */
  readonly upload?: UploadRecord
  /**
   * Beginning of the request body and of the response body as text. Present only if the log option `bodies` is set.
   */
  readonly bodies?: { readonly request: string; readonly response: string }
}

/** Part of a response that the emulator wrote before the client disconnected. `tokens` and `charged` are its price. */
export interface SentBeforeDisconnect {
  /** Time from the arrival of the request to the disconnect, in milliseconds. */
  readonly afterMs: number
  /** Number of body bytes written. */
  readonly bytes: number
  /**
   * Number of stream events written, without heartbeats; 0 if the response is not a stream. Null for a stream of an
   * upstream, because the emulator does not read its events.
   */
  readonly events: number | null
}

type CommonOptional =
  | 'clientRequestId'
  | 'completionId'
  | 'truncation'
  | 'reasoningTokens'
  | 'left'
  | 'queuedMs'
  | 'bodySha256'
  | 'textSha256'

/** Every stored entry has these properties, because V8 creates objects with the same properties faster. */
type CommonFields = { readonly [Name in CommonOptional]: RequestLogEntry[Name] | undefined }

/** A log entry as the request log stores it. {@link formatLogEntry} formats times and credits when the entry is read. */
export interface StoredLogEntry extends Omit<RequestLogEntry, 'time' | 'charged' | CommonOptional>, CommonFields {
  readonly unixMs: number
  /** Secrets of the request, which are masked when the entry is read. Undefined if the entry contains no foreign text. */
  readonly secrets: readonly string[] | undefined
  /** Charge in units of 0.0001 credit. */
  readonly chargedUnits: number
}

/** Maximum length of a logged path. Longer paths are truncated. */
const MAX_PATH_CHARACTERS = 256

export function createLogEntry(seq: number, record: RequestRecord, client: ClientIdentity): StoredLogEntry {
  const { request, arrival, ended, firstWriteAtMs, upload } = record
  const { path } = request
  const { arrived, arrivedAtUnixMs } = arrival
  const clientRequestId = findClientRequestId(request.headers)
  const totalMs = ended === undefined ? 0 : ended.atMs - arrived.atMs
  const { bytesOut: bytes, eventsOut: events, hasClientDisconnected } = record
  const entry = {
    seq,
    id: request.id,
    unixMs: arrivedAtUnixMs,
    atMs: arrived.atMs,
    account: client.account,
    keyFingerprint: client.keyFingerprint,
    clientRequestId,
    secrets: hasForeignText(record, clientRequestId) ? listRequestSecrets(request) : undefined,
    completionId: record.completionId,
    method: request.method,
    path: request.target.length > MAX_PATH_CHARACTERS ? copyStart(path, MAX_PATH_CHARACTERS) : path,
    operation: request.operation ?? null,
    model: request.model ?? null,
    status: record.status ?? null,
    refused: request.errorCode ?? null,
    fault: request.faultId ?? null,
    fixture: request.fixtureId ?? null,
    ignoredFields: request.ignoredFields,
    tokens: request.usedTokens,
    chargedUnits: request.chargedUnits,
    ttftMs: firstWriteAtMs === undefined ? null : firstWriteAtMs - arrived.atMs,
    totalMs,
    stream: record.isStream,
    bytesIn: record.bytesIn,
    bytesOut: bytes,
    clientLeft: hasClientDisconnected,
    truncation: request.truncation,
    reasoningTokens: request.reasoningTokens,
    left: hasClientDisconnected ? { afterMs: totalMs, bytes, events } : undefined,
    queuedMs: request.queuedMs,
    bodySha256: record.responseHash?.digest('hex'),
    textSha256: record.completionId === undefined ? undefined : record.textDigest?.digest(),
  }
  if (record.loggedBytes === 0) return entry
  return {
    ...entry,
    httpVersion: request.httpVersion,
    requestHeaders: copyHeaders(request.headers),
    ...(upload === undefined ? {} : { upload }),
    bodies: { request: record.requestText, response: Buffer.concat(record.responseHead).toString('utf8') },
  }
}

/** Matches the scheme of credentials, which is not secret. */
const SCHEME = /^(?:basic|bearer) +/i

/** Copies header fields. Replaces secret values by their fingerprints. */
function copyHeaders(headers: ObservedRequest['headers']): Readonly<Record<string, string>> {
  const fields = Object.entries(headers).map(([name, value = '']) => {
    const text = [value].flat().join(', ')
    const [scheme = ''] = SCHEME.exec(text) ?? []
    return [name, isSecretName(name) ? scheme + fingerprintSecret(text.slice(scheme.length)) : copyStart(text)]
  })
  return Object.fromEntries(fields)
}

/**
 * Returns whether an entry may contain text of the client or of an upstream. Collecting the secrets of each request would
 * slow down ordinary requests. A response of an upstream has no model.
 */
function hasForeignText(
  { request, completionId, loggedBytes }: RequestRecord,
  clientRequestId: string | undefined,
): boolean {
  const { operation, errorCode, model, ignoredFields } = request
  const isOrdinary =
    operation !== undefined && errorCode === undefined && ignoredFields.length === 0 && loggedBytes === 0
  return !isOrdinary || clientRequestId !== undefined || (completionId !== undefined && model === undefined)
}

/** @param mask masks the secrets of the entry */
export function formatLogEntry(stored: StoredLogEntry, mask: TextMask | undefined): RequestLogEntry {
  const { seq, id, unixMs, chargedUnits, secrets: _, ...rest } = maskEntry(stored, mask)
  const { reasoningTokens, left, queuedMs, ttftMs, totalMs } = rest
  return omitUndefined<RequestLogEntry>({
    seq,
    id,
    time: new Date(unixMs).toISOString(),
    charged: formatUnits(chargedUnits),
    ...rest,
    reasoningTokens: reasoningTokens === 0 ? undefined : reasoningTokens,
    left: left && { ...left, afterMs: roundToMicroseconds(left.afterMs) },
    queuedMs: queuedMs === undefined ? undefined : roundToMicroseconds(queuedMs),
    ttftMs: ttftMs === null ? null : roundToMicroseconds(ttftMs),
    totalMs: roundToMicroseconds(totalMs),
  })
}

function maskEntry(entry: StoredLogEntry, mask: TextMask | undefined): StoredLogEntry {
  if (mask === undefined) return entry
  const { method, path, clientRequestId, completionId, model, ignoredFields, requestHeaders, upload, bodies } = entry
  const arrived = { ...(requestHeaders && { requestHeaders }), ...(upload && { upload }), ...(bodies && { bodies }) }
  const texts = { method, path, clientRequestId, completionId, model, ignoredFields, ...arrived }
  return { ...entry, ...mask.maskJson(texts) }
}

/** Maximum length of a client-supplied ID. Longer IDs are truncated. */
const MAX_ID_CHARACTERS = 128

function findClientRequestId({ 'x-client-request-id': id }: ObservedRequest['headers']): string | undefined {
  return typeof id === 'string' ? copyStart(id, MAX_ID_CHARACTERS) : undefined
}

/** Copies the beginning of a text. In V8, a substring keeps its whole string in memory, and log entries outlive requests. */
function copyStart(text: string, maxCharacters = Infinity): string {
  return Buffer.from(text.slice(0, maxCharacters)).toString()
}
