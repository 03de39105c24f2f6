import { toJsonObject } from '../../common/json-object.ts'
import { tryToParseJson } from '../../common/parse-json.ts'
import { request } from 'node:http'
import { fetchLimited } from '../../common/fetch-limited.ts'
import { limitInterimResponses } from '../../common/limit-interim-responses.ts'
import {
  allowOthers,
  boolean,
  count,
  list,
  nonNegative,
  nullable,
  object,
  optional,
  type Schema,
  string,
  type ValueOf,
} from '../../common/schema/build-schema.ts'
import { findSchemaProblems } from '../../common/schema/find-schema-problems.ts'

/** An emulator whose control API is read. */
export interface EmulatorAddress {
  readonly url: string
  /** Aborts the requests. */
  readonly signal: AbortSignal
}

const timing = object({ requestId: string, writtenMs: list(nonNegative) })

/** Times at which the emulator wrote the events of a response, in milliseconds since the arrival of the request. */
export type RecordedTiming = ValueOf<typeof timing>

const logEntry = object({
  seq: count,
  id: string,
  clientRequestId: optional(string),
  completionId: optional(string),
  /** Account id. Null if no account has the key of the request. */
  account: nullable(string),
  operation: nullable(string),
  /** Model of the request. Null if the emulator rejected the request before it read the model. */
  model: nullable(string),
  status: nullable(count),
  /** Arrival time on the emulator's clock, in milliseconds, and time until the end of the response. */
  atMs: nonNegative,
  totalMs: nonNegative,
  clientLeft: boolean,
  /** Credits that the emulator charged, as a decimal string. */
  charged: string,
  /** SHA-256 of the text in a chat completion, in hex. Absent if the response has no ID. */
  textSha256: optional(string),
  /** Names of the request fields that had no effect. */
  ignoredFields: list(string),
})

/** A request in the emulator's request log; see `RequestLogEntry` of the emulator. */
export type LoggedRequest = ValueOf<typeof logEntry>

const timingPage = allowOthers(object({ responses: list(timing) }))
const logPage = allowOthers(object({ entries: list(logEntry), next: nullable(count) }))
const account = allowOthers(object({ credits: string }))
const health = allowOthers(object({ inFlight: optional(count) }))

const TIMEOUT_MS = 30_000
const PAGE_SIZE = 1000

/**
 * Number of probes. One is not enough: by chance, a proxy could connect to the emulator from the same port number as
 * the probe.
 */
const PROBES = 2

/**
 * Returns whether a target is an emulator with a usable control API that no proxy hides. The emulator must report the
 * port from which each probe was sent. Returns false if the port is translated, such as by a NAT.
 */
export async function isEmulator(target: string, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<boolean> {
  if (!target.startsWith('http:')) return false // The emulator does not support TLS, so it serves no https: address.
  const probes = await Promise.all(
    Array.from({ length: PROBES }, () => isConnectedToEmulator(target, signal, timeoutMs)),
  )
  return probes.every((isDirect) => isDirect)
}

/** Sends a probe on a new connection. Returns whether the emulator reports the port of that connection. */
function isConnectedToEmulator(target: string, signal: AbortSignal, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let ownPort: number | undefined
    // The `timeout` of Node's client would start again with each byte of a response that never ends.
    const options = { agent: false, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) }
    const probe = request(`${target}/__emulator/connection`, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > MAX_PROBE_CHARACTERS) response.destroy()
      })
      response.on('end', () =>
        resolve(
          response.statusCode === 200 &&
            ownPort !== undefined &&
            toJsonObject(tryToParseJson(text))['remotePort'] === ownPort,
        ),
      )
      response.on('close', () => resolve(false))
    })
    probe.on('socket', (socket) => socket.on('connect', () => (ownPort = socket.localPort)))
    probe.on('error', () => resolve(false))
    limitInterimResponses(probe)
    // Without a listener, Node closes the connection and emits neither a response nor an error.
    probe.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(false)
    })
    probe.end()
  })
}

/** Maximum length of the response to a probe. The emulator's response is shorter. */
const MAX_PROBE_CHARACTERS = 10_000

/**
 * Reads the write times that the emulator recorded for all responses.
 * @throws Error if the emulator rejects the request
 */
export async function readTimings(emulator: EmulatorAddress): Promise<readonly RecordedTiming[]> {
  return (await get(emulator, '/timing/responses', timingPage)).value.responses
}

/** Returns the sequence number of the latest entry in the emulator's request log, or 0 if the log is empty. */
export async function readLastLogSeq(emulator: EmulatorAddress): Promise<number> {
  return (await get(emulator, '/request-log?tail=1&bodies=0', logPage)).value.entries.at(-1)?.seq ?? 0
}

/**
 * Reads the entries of the emulator's request log whose sequence number is greater than `afterSeq`.
 * @throws Error if the emulator rejects the request, or if the log is too large
 */
export async function readRequestLog(emulator: EmulatorAddress, afterSeq = 0): Promise<LoggedRequest[]> {
  const entries: LoggedRequest[] = []
  let maxBytes = MAX_BYTES
  let after: number | null = afterSeq
  while (after !== null) {
    const path: string = `/request-log?limit=${PAGE_SIZE}&after=${after}&bodies=0`
    const { value: page, bytes } = await get(emulator, path, logPage, { maxBytes })
    for (const entry of page.entries) entries.push(entry)
    // A target that is not an emulator may return pages without an end.
    maxBytes -= bytes
    after = page.next !== null && page.next > after && page.entries.length > 0 ? page.next : null
  }
  return entries
}

/** Reads the balance of a key's account as a decimal string. Returns undefined if the emulator does not report it. */
export async function readBalance(emulator: EmulatorAddress, key: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${key}` }
  return (await get(emulator, '/balance', account, { headers }).catch(() => undefined))?.value.credits
}

/**
 * Waits until the emulator has no request in flight, so that all holds are settled.
 * @returns whether the emulator has no request in flight, or does not report their number
 */
export async function waitUntilIdle(emulator: EmulatorAddress, timeoutMs = TIMEOUT_MS): Promise<boolean> {
  const untilMs = performance.now() + timeoutMs
  for (;;) {
    const { inFlight = 0 } = (await get(emulator, '/health', health).catch(() => undefined))?.value ?? {}
    if (inFlight === 0) return true
    if (performance.now() >= untilMs) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Maximum size of a response of the control API, and of a request log, in bytes. The record of the largest run is smaller. */
const MAX_BYTES = 256 * 1024 * 1024

/**
 * Reads JSON from the control API.
 * @throws Error if the response is an error, too large or not of the schema, because a target may only look like an emulator
 */
async function get<Value>(
  { url, signal }: EmulatorAddress,
  path: string,
  schema: Schema<Value>,
  {
    headers = {},
    maxBytes = MAX_BYTES,
  }: { readonly headers?: Record<string, string>; readonly maxBytes?: number } = {},
): Promise<{ readonly value: Value; readonly bytes: number }> {
  const { status, text } = await fetchLimited(`${url}/__emulator${path}`, { headers, signal, maxBytes })
  if (status !== 200) throw new Error(`the emulator returned ${status} for ${path}`)
  const value: unknown = JSON.parse(text)
  const [problem] = findSchemaProblems(schema.json, value, 'the response')
  if (problem !== undefined) throw new Error(`the emulator returned an unexpected response for ${path}: ${problem}`)
  return { value: value as Value, bytes: text.length } // The schema describes `Value`.
}

/** Returns a signal that aborts some time after another signal. */
export function delayAbort(signal: AbortSignal, delayMs: number): AbortSignal {
  const delayed = new AbortController()
  const start = () => setTimeout(() => delayed.abort(), delayMs).unref()
  if (signal.aborted) start()
  else signal.addEventListener('abort', start, { once: true })
  return delayed.signal
}
