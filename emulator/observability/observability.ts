import type { ObservedRequest, RequestEndEvent, RequestListener, RequestObserver } from '../core/events.ts'
import type { Accounts } from '../state/accounts.ts'
import type { Clock } from '../state/clock.ts'
import { ClientAudit } from './client-audit/client-audit.ts'
import { findSecretInUrl, fingerprintRequest, readRetryHeaders } from './client-audit/observation.ts'
import { identifyClient, identifyClientByKey, type ClientIdentity } from './client-identity.ts'
import { Metrics } from './metrics/metrics.ts'
import { RequestLog, type RequestLogLimits } from './request-log/request-log.ts'
import { RequestRecord, type EventTime, type RequestRecordContext } from './request-record.ts'
import { TimingLog } from './timing-log.ts'

interface ObservedConnection {
  /** Position of the connection in the order of opening. */
  readonly sequence: number
  requests: number
}

/** Observes all requests, and updates the request log, the metrics, the client audit and the timing log. */
export class Observability implements RequestObserver {
  readonly requestLog: RequestLog
  readonly metrics = new Metrics()
  readonly clientAudit = new ClientAudit()
  readonly timingLog = new TimingLog()
  readonly #clock: Clock
  readonly #accounts: Accounts
  readonly #recordContext: RequestRecordContext
  #lastSequence = 0
  readonly #connections = new WeakMap<object, ObservedConnection>()

  constructor(clock: Clock, accounts: Accounts, limits: Partial<RequestLogLimits> = {}) {
    this.#clock = clock
    this.#accounts = accounts
    this.requestLog = new RequestLog(limits)
    const { requestLog } = this
    this.#recordContext = {
      now: () => this.#now(),
      getLimits: () => requestLog.limits,
      finish: (record, end) => this.#finish(record, end),
    }
  }

  /** Records a new connection. The server must call it when a connection opens. */
  onConnection(connection: object): void {
    this.#connections.set(connection, { sequence: this.#now().sequence, requests: 0 })
  }

  onRequest(request: ObservedRequest): RequestListener {
    const connection = request.connection === undefined ? undefined : this.#connections.get(request.connection)
    if (connection !== undefined) connection.requests += 1
    this.#lastSequence += 1
    const arrival = {
      arrived: { atMs: request.arrivedAtMs, sequence: this.#lastSequence },
      arrivedAtUnixMs: this.#clock.unixMs(),
      connection: connection?.sequence,
      isFirstOnConnection: connection?.requests === 1,
    }
    return new RequestRecord(request, arrival, this.#recordContext)
  }

  /**
   * Clears the request log, the findings and the timings, and restores the limits of the request log. Keeps the metrics,
   * because Prometheus expects counters to grow.
   */
  reset(): void {
    this.requestLog.reset()
    this.clientAudit.clear()
    this.timingLog.clear()
  }

  #finish(record: RequestRecord, { timing }: RequestEndEvent): void {
    const { request } = record
    if (timing !== undefined) {
      const { operation, isStream, plannedMs, writtenMs } = timing
      this.timingLog.add({ requestId: request.id, operation, inFlight: request.inFlight, plannedMs, writtenMs })
      if (isStream) this.metrics.observeWriteDelays(plannedMs, writtenMs)
    }
    const client = identifyClient(request)
    this.requestLog.add(record, client)
    this.metrics.add(record)
    if (record.lateBody === undefined) this.#audit(client, record)
    else void record.lateBody.then(() => this.#audit(client, record))
  }

  #audit(client: ClientIdentity, record: RequestRecord): void {
    const { request, arrival, ended = arrival.arrived, status, retryAfterMs, isAborted } = record
    const secret = findSecretInUrl(request.target)
    const { idempotencyKey, retryCount } = readRetryHeaders(request.headers)
    this.clientAudit.observe(secret === undefined ? client : this.#clientBySecret(client, secret), {
      requestId: request.id,
      atUnixMs: arrival.arrivedAtUnixMs,
      fingerprint: () => fingerprintRequest(record),
      connection: arrival.connection,
      isFirstOnConnection: arrival.isFirstOnConnection,
      arrived: arrival.arrived,
      ended,
      status,
      isAborted,
      isIncomplete: isAborted || record.hasClientDisconnected,
      hasBody: record.body !== undefined,
      chargedUnits: request.chargedUnits,
      idempotencyKey,
      retryCount,
      retryAfterMs,
      // A client may abort a stream without a finding if a fault was injected, for example one that stalls the stream.
      hasAbortedStream: record.isStream && record.hasClientDisconnected && request.faultId === undefined,
      hasSecretInUrl: secret !== undefined,
    })
  }

  /** Identifies a client by the key in its URL if the request has no other key. */
  #clientBySecret(client: ClientIdentity, secret: string): ClientIdentity {
    if (client.account !== null || client.keyFingerprint !== null) return client
    return identifyClientByKey(secret, this.#accounts)
  }

  #now(): EventTime {
    this.#lastSequence += 1
    return { atMs: this.#clock.nowMs(), sequence: this.#lastSequence }
  }
}
