import { ClientAudit } from './client-audit/client-audit.ts'
import { fingerprintRequest, findSecretInUrl } from './client-audit/observation.ts'
import { Metrics } from './metrics/metrics.ts'
import { readCredentials, type Credentials } from '../core/authenticate.ts'
import type { Transported } from '../core/receive.ts'
import type { Accounts } from '../state/accounts.ts'
import type { Clock } from '../state/clock.ts'
import type { ResponseWriter } from '../core/response-writer.ts'
import { clientOf, findClient, type Client } from './client-identity.ts'
import { RequestLog, type RequestLogLimits } from './request-log/request-log.ts'
import { NotingSink, type NotingContext } from './request-log/recording-response-writer.ts'
import { Notes, type Moment } from './request-log/request-record.ts'

/** What is known of a connection. */
interface Channel {
  /** The turn in which it was opened. */
  readonly turn: number
  requests: number
  /** Whose key came by it last, which saves the next request with that key its digest. */
  known?: { readonly authorization: string | undefined; readonly credentials: Credentials; readonly era: number }
}

/** Everything that is written down of requests: journal, metrics and the clients' conduct. */
export class Records {
  readonly journal: RequestLog
  readonly tallies = new Metrics()
  readonly conduct = new ClientAudit()
  readonly #clock: Clock
  readonly #accounts: Accounts
  readonly #noting: NotingContext
  #turns = 0
  readonly #channels = new WeakMap<object, Channel>()

  constructor(clock: Clock, accounts: Accounts, bounds: Partial<RequestLogLimits> = {}) {
    this.#clock = clock
    this.#accounts = accounts
    this.journal = new RequestLog(bounds)
    const { bodies, digests } = this.journal.limits
    this.#noting = { now: () => this.#now(), keptBytes: bodies, isHashed: digests === 1 }
  }

  /** Takes note of a new connection. */
  connect(channel: object): void {
    this.#channels.set(channel, { turn: this.#now().turn, requests: 0 })
  }

  /** Begins the notes on a request that came in. */
  open(requestId: string, transported: Transported): Notes {
    const channel = transported.channel === undefined ? undefined : this.#channels.get(transported.channel)
    if (channel !== undefined) channel.requests += 1
    const credentials = this.#credentialsOf(transported.headers.authorization, channel)
    const now = this.#now()
    const arrived = { ...now, atMs: transported.arrivedAtMs ?? now.atMs }
    const notes = new Notes(requestId, transported, credentials, arrived, this.#clock.unixMs())
    notes.channel = channel?.turn
    notes.isFirstOnChannel = channel?.requests === 1
    return notes
  }

  #credentialsOf(authorization: string | undefined, channel: Channel | undefined): Credentials {
    const { generation } = this.#accounts
    const known = channel?.known
    if (known !== undefined && known.authorization === authorization && known.era === generation)
      return known.credentials
    const credentials = readCredentials(authorization, this.#accounts)
    if (channel !== undefined && credentials.account !== undefined)
      channel.known = { authorization, credentials, era: generation }
    return credentials
  }

  /** A sink that notes what goes through it. */
  watch(sink: ResponseWriter, notes: Notes): ResponseWriter {
    return new NotingSink(sink, notes, this.#noting)
  }

  /** Writes down a request whose answer is over. `isGone`: there is nobody any more whom it could go to. */
  close(notes: Notes, isGone: boolean): void {
    if (notes.ended === undefined) notes.hasClientLeft = isGone
    notes.ended ??= this.#now()
    // Whoever goes away while the body is read has no answer begun and nothing broken off.
    if (notes.status === undefined && !notes.isBrokenOff) notes.hasClientLeft = true
    const client = clientOf(notes)
    this.journal.add(notes, client)
    this.tallies.add(notes)
    if (notes.lateBody === undefined) this.#observe(client, notes)
    else void notes.lateBody.then(() => this.#observe(client, notes))
  }

  /** Forgets journal and conduct. Metrics go on: their readers expect counters to ascend. */
  clear(): void {
    this.journal.clear()
    this.conduct.clear()
  }

  #observe(client: Client, notes: Notes): void {
    const {
      arrived,
      ended = arrived,
      requestId,
      status,
      toldToWaitMs: retryAfterMs,
      isBrokenOff: isAborted,
      transported,
    } = notes
    const secret = findSecretInUrl(transported.target)
    this.conduct.observe(secret === undefined ? client : this.#senderOf(client, secret), {
      requestId,
      atUnixMs: notes.arrivedAtUnixMs,
      fingerprint: () => fingerprintRequest(notes),
      connection: notes.channel,
      isFirstOnConnection: notes.isFirstOnChannel,
      arrived,
      ended: ended,
      status,
      isAborted,
      retryAfterMs,
      // Nobody is to blame for leaving a stream that was made to stall, to go on for ever or to be unreadable.
      hasAbortedStream: notes.isStream && notes.hasClientLeft && notes.fault === undefined,
      hasSecretInUrl: secret !== undefined,
    })
  }

  /** Whoever sends no key but in the URL is known by that one. */
  #senderOf(client: Client, secret: string): Client {
    if (client.account !== null || client.keySuffix !== null) return client
    return findClient(secret, this.#accounts)
  }

  #now(): Moment {
    this.#turns += 1
    return { atMs: this.#clock.nowMs(), turn: this.#turns }
  }
}
