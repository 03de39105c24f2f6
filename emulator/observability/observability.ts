import type { ObservedRequest, RequestEnd, RequestListener, RequestObserver } from '../core/events.ts'
import type { Accounts } from '../state/accounts.ts'
import type { Clock } from '../state/clock.ts'
import { ClientAudit } from './client-audit/client-audit.ts'
import { findSecretInUrl, fingerprintRequest } from './client-audit/observation.ts'
import { identifyClient, findClient, type Client } from './client-identity.ts'
import { Metrics } from './metrics/metrics.ts'
import { RequestLog, type RequestLogLimits } from './request-log/request-log.ts'
import { RequestRecord, type Moment, type RecordContext } from './request-record.ts'
import { TimingLog } from './timing-log.ts'

/** Recorded data of a connection. */
interface ObservedConnection {
  /** Sequence number of its opening. */
  readonly turn: number
  requests: number
}

/** Observes all requests and updates the request log, the metrics, the client audit and the timing log. */
export class Observability implements RequestObserver {
  readonly requestLog: RequestLog
  readonly metrics = new Metrics()
  readonly clientAudit = new ClientAudit()
  readonly timingLog = new TimingLog()
  readonly #clock: Clock
  readonly #accounts: Accounts
  readonly #recordContext: RecordContext
  #turns = 0
  readonly #connections = new WeakMap<object, ObservedConnection>()

  constructor(clock: Clock, accounts: Accounts, limits: Partial<RequestLogLimits> = {}) {
    this.#clock = clock
    this.#accounts = accounts
    this.requestLog = new RequestLog(limits)
    const { bodies, digests } = this.requestLog.limits
    this.#recordContext = {
      now: () => this.#now(),
      keptBytes: bodies,
      isHashed: digests === 1,
      finish: (record, end) => this.#finish(record, end),
    }
  }

  /** Records a new connection. Must be called when a connection opens. */
  onConnection(connection: object): void {
    this.#connections.set(connection, { turn: this.#now().turn, requests: 0 })
  }

  onRequest(request: ObservedRequest): RequestListener {
    const connection = request.connection === undefined ? undefined : this.#connections.get(request.connection)
    if (connection !== undefined) connection.requests += 1
    this.#turns += 1
    const origin = {
      arrived: { atMs: request.arrivedAtMs, turn: this.#turns },
      arrivedAtUnixMs: this.#clock.unixMs(),
      connection: connection?.turn,
      isFirstOnConnection: connection?.requests === 1,
    }
    return new RequestRecord(request, origin, this.#recordContext)
  }

  /**
   * Clears the request log, the findings and the timings. Keeps the metrics, because Prometheus expects ascending
   * counters.
   */
  clear(): void {
    this.requestLog.clear()
    this.clientAudit.clear()
    this.timingLog.clear()
  }

  #finish(record: RequestRecord, { timing }: RequestEnd): void {
    const { request } = record
    if (timing !== undefined) {
      const { operation, isStream, plannedMs, writtenMs } = timing
      this.timingLog.add({ requestId: request.id, operation, inFlight: request.inFlight, plannedMs, writtenMs })
      if (isStream) this.metrics.observeLateness(plannedMs, writtenMs)
    }
    const client = identifyClient(request)
    this.requestLog.add(record, client)
    this.metrics.add(record)
    if (record.lateBody === undefined) this.#audit(client, record)
    else void record.lateBody.then(() => this.#audit(client, record))
  }

  #audit(client: Client, record: RequestRecord): void {
    const { request, origin, ended = origin.arrived, status, retryAfterMs, isAborted } = record
    const secret = findSecretInUrl(request.target)
    this.clientAudit.observe(secret === undefined ? client : this.#clientBySecret(client, secret), {
      requestId: request.id,
      atUnixMs: origin.arrivedAtUnixMs,
      fingerprint: () => fingerprintRequest(record),
      connection: origin.connection,
      isFirstOnConnection: origin.isFirstOnConnection,
      arrived: origin.arrived,
      ended,
      status,
      isAborted,
      retryAfterMs,
      // A client may abort a stream with an injected fault, for example one that stalls.
      hasAbortedStream: record.isStream && record.hasClientLeft && request.faultId === undefined,
      hasSecretInUrl: secret !== undefined,
    })
  }

  /** Identifies a client by the key in the URL if it sent no other key. */
  #clientBySecret(client: Client, secret: string): Client {
    if (client.account !== null || client.keySuffix !== null) return client
    return findClient(secret, this.#accounts)
  }

  #now(): Moment {
    this.#turns += 1
    return { atMs: this.#clock.nowMs(), turn: this.#turns }
  }
}
