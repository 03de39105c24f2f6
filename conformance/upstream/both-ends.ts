import type { Operation } from '../../contract/facts.ts'
import { buildExchange } from '../http/build-exchange.ts'
import type { Exchange } from '../http/exchange.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import type { ApiRequest, FormFields, KeyChoice, RequestOptions } from '../requests/api-request.ts'
import { buildFormFields, buildFormRequest, buildJsonRequest, type RequestDefaults } from '../requests/build-request.ts'
import type { Dispatcher } from '../traffic/dispatcher.ts'
import { pause } from '../traffic/pause.ts'
import type { RequestScope } from '../traffic/request-scope.ts'
import { type UpstreamAddress, UpstreamControl, type UpstreamRequest } from './upstream-control.ts'

/** A request through the gateway, with the response that the upstream sends. */
export interface Trial {
  /** Default: `chat`. */
  readonly operation?: Exclude<Operation, 'models'>
  /** Response of the upstream: the fields of a fixture without its conditions. */
  readonly respond: Readonly<Record<string, unknown>>
  /** Fields of the request that replace the usual ones. `word` occurs in the request, and in no other one. */
  readonly fields?: (word: string) => Readonly<Record<string, unknown>>
  readonly form?: FormFields
  readonly rewrite?: (json: string) => string
  readonly headers?: RequestOptions['headers']
  readonly key?: KeyChoice
  /** Aborts the request this long after it has arrived at the upstream, in milliseconds, unless it has a response. */
  readonly abortAfterArrivalMs?: number
  /** Whether the client sends only half of the request, and then aborts it. It does not arrive at the upstream. */
  readonly abortInBody?: true
  /** Whether a 429 of the gateway is a result. Without it, the suite waits, and sends the request again. */
  readonly acceptsLimit?: true
}

/** What both ends of the gateway saw of a request. */
export interface Seen {
  readonly trial: Trial
  readonly word: string
  readonly fixture: string
  readonly client: Exchange
  /** Form of the client's request, if it has one. */
  readonly form: FormFields | undefined
  readonly wasAborted: boolean
  /** Requests of the gateway to the upstream, in the order in which their responses ended. */
  readonly upstream: readonly UpstreamRequest[]
}

/** What all checks of a gateway share in a run. */
export interface GatewayRun {
  readonly control: UpstreamControl
  /** All requests of the run so far, in the order in which they ended. */
  readonly seen: Seen[]
  /** Results that several checks use, by name. */
  readonly shared: Map<string, Promise<unknown>>
  /**
   * Whether the gateway has a rate limit, still rejects requests after a failure of the upstream, and did not serve the first chat.
   */
  readonly found: Set<'rate-limit' | 'no-recovery' | 'no-service'>
}

export function createGatewayRun(upstream: UpstreamAddress, signal: AbortSignal): GatewayRun {
  return { control: new UpstreamControl(upstream, signal), seen: [], shared: new Map(), found: new Set() }
}

/** Parts of a run on which the requests of a check depend. */
export interface BothEndsParts {
  readonly run: GatewayRun
  readonly scope: RequestScope
  readonly dispatcher: Dispatcher
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Returns the usual values of a request whose text contains the word. */
  defaultsFor(operation: Operation, word: string): RequestDefaults
  /** Returns a word that no other request contains. */
  nonce(): string
}

/** Time within which the log of the upstream contains a request whose response the client has, in milliseconds. */
const LOG_DEADLINE_MS = 2000
const FIRST_POLL_MS = 2

/** Time in which half of a request arrives at the gateway, in milliseconds. */
const ABORT_IN_BODY_MS = 300
const MAX_POLL_MS = 100

/** Time after which the suite repeats a request that the gateway rejected with a 429 without Retry-After, in milliseconds. */
const DEFAULT_RETRY_MS = 1000
const MIN_RETRY_MS = 100
/** Maximum time for which the suite waits until the rate limit of a gateway allows a request, in milliseconds. */
export const MAX_LIMIT_MS = 30_000

/** Maximum number of exchanges in the evidence of a check without a finding. */
const MAX_EVIDENCE = 3

/** Maximum time in which a gateway responds after its upstream has failed, in milliseconds. */
const MAX_RESPONSE_MS = 20_000

/** The run has reached a limit, or was aborted, so that it sends no more requests. */
export class RunStoppedError extends Error {}

/** Sends requests through a gateway whose upstream is an emulator, and sees both ends. */
export class BothEnds {
  readonly run: GatewayRun
  readonly #parts: BothEndsParts
  /** Exchanges in the evidence of the check. */
  readonly #shown = new Set<Exchange>()

  constructor(parts: BothEndsParts) {
    this.run = parts.run
    this.#parts = parts
  }

  /** Scripts the response of the upstream, sends the request, and waits until the upstream has recorded it. */
  async send(trial: Trial): Promise<Seen> {
    const [seen] = await this.sendAll([trial])
    return seen
  }

  /** Scripts all responses, and then sends all requests at the same time. */
  async sendAll<const Trials extends readonly Trial[]>(
    trials: Trials,
  ): Promise<{ -readonly [Index in keyof Trials]: Seen }> {
    const scripted = await Promise.all(
      trials.map(async (trial) => {
        const word = this.#parts.nonce()
        const fixture = await this.run.control.addFixture({ ...conditionsOf(trial, word), ...trial.respond })
        return { trial, word, fixture }
      }),
    )
    const all = await Promise.all(scripted.map(({ trial, word, fixture }) => this.#sendWith(trial, word, fixture)))
    // The fixture of a transcription applies to every transcription.
    const unconditional = scripted.filter(({ trial }) => trial.operation === 'transcriptions')
    await Promise.all(unconditional.map(({ fixture }) => this.run.control.removeFixture(fixture)))
    return all as { -readonly [Index in keyof Trials]: Seen } // There is one item for each trial.
  }

  /** Sends the same request again. The fixture of the first request applies. */
  sendAgain({ trial, word, fixture }: Seen): Promise<Seen> {
    return this.#sendWith(trial, word, fixture)
  }

  /** Sends a request that the gateway rejected again. Like other retries, it does not count as a request of the check. */
  repeat({ trial, word, fixture }: Seen): Promise<Seen> {
    return this.#sendCounted(trial, word, fixture)
  }

  /** Calls `work` once in a run, for all checks that use its result. */
  async share<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    const known = this.run.shared.get(name) ?? work()
    this.run.shared.set(name, known)
    return (await known) as Value // Each name has one type of value.
  }

  /** Adds both ends of a request to the evidence of the check. */
  show({ client, form, upstream }: Seen): void {
    this.#record(client, form)
    for (const request of upstream) this.#record(this.#describeUpstream(request, client))
  }

  /** Returns why the run sends no more requests, or undefined if it does. */
  findObstacle(): RunObstacle | undefined {
    return this.#parts.dispatcher.obstacle(1)
  }

  nonce(): string {
    return this.#parts.nonce()
  }

  async pause(ms: number): Promise<void> {
    await pause(ms, this.#parts.signal)
  }

  /** Returns the number of requests that have arrived at the upstream so far, including those without a response. */
  countArrivals({ fixture }: Seen): Promise<number> {
    return this.run.control.countMatches(fixture)
  }

  async lookAgain(seen: Seen): Promise<Seen> {
    return { ...seen, upstream: await this.run.control.requestsOf(seen.fixture) }
  }

  /** Waits until the condition is true of the upstream, at most `maxMs` milliseconds. Returns whether it became true. */
  async waitUntil(condition: () => Promise<boolean>, maxMs: number): Promise<boolean> {
    const start = performance.now()
    let delayMs = FIRST_POLL_MS
    while (!(await condition())) {
      if (performance.now() - start > maxMs || this.#parts.signal.aborted) return false
      await pause(delayMs, this.#parts.signal)
      delayMs = Math.min(2 * delayMs, MAX_POLL_MS)
    }
    return true
  }

  #sendWith(trial: Trial, word: string, fixture: string): Promise<Seen> {
    this.#parts.scope.requests += 1
    return this.#sendCounted(trial, word, fixture)
  }

  /** Sends the request, and again as long as the gateway rejects it with a 429 of its own. */
  async #sendCounted(trial: Trial, word: string, fixture: string): Promise<Seen> {
    let seen = await this.#sendOnce(trial, word, fixture)
    for (let waitedMs = 0; trial.acceptsLimit !== true && (await this.#isLimited(seen));) {
      this.run.found.add('rate-limit')
      const delayMs = parseRetryAfterMs(seen.client.headers) ?? DEFAULT_RETRY_MS
      waitedMs += Math.max(delayMs, MIN_RETRY_MS)
      if (waitedMs > MAX_LIMIT_MS || this.#parts.signal.aborted) break
      await this.pause(Math.max(delayMs, MIN_RETRY_MS))
      seen = await this.#sendOnce(trial, word, fixture)
    }
    if (this.#shown.size < MAX_EVIDENCE) this.#record(seen.client, seen.form)
    this.run.seen.push(seen)
    return seen
  }

  /** Returns whether the gateway itself rejected the request because of a rate limit. */
  async #isLimited({ client, fixture, wasAborted }: Seen): Promise<boolean> {
    if (wasAborted || client.status !== 429) return false
    return (await this.run.control.countMatches(fixture)) <= this.#countKnown(fixture)
  }

  /** Returns the number of requests at the upstream to which a fixture applied before. */
  #countKnown(fixture: string): number {
    return this.run.seen.findLast((earlier) => earlier.fixture === fixture)?.upstream.length ?? 0
  }

  async #sendOnce(trial: Trial, word: string, fixture: string): Promise<Seen> {
    const { scope, dispatcher, timeoutMs } = this.#parts
    const { request, form } = this.#build(trial, word)
    if (this.findObstacle() !== undefined) throw new RunStoppedError()
    const abort = new AbortController()
    const sent = dispatcher.sendOnce(request, {
      memory: scope.memory,
      timeoutMs: Math.min(timeoutMs, MAX_RESPONSE_MS),
      signal: AbortSignal.any([this.#parts.signal, abort.signal]),
      ...(trial.abortInBody === true ? { sendsHalfBody: true } : {}),
    })
    const { control } = this.run
    if (trial.abortInBody === true) {
      await this.pause(ABORT_IN_BODY_MS)
      abort.abort()
    }
    if (trial.abortAfterArrivalMs !== undefined) {
      let hasResponse = false
      void sent.then(() => (hasResponse = true))
      await this.waitUntil(async () => hasResponse || (await control.countMatches(fixture)) > 0, MAX_RESPONSE_MS)
      await this.pause(trial.abortAfterArrivalMs)
      if (!hasResponse) abort.abort()
    }
    const client = await sent
    const wasAborted = abort.signal.aborted
    // Without a wait, because the log of the upstream cannot contain a request that the gateway rejected.
    const mayWait = !wasAborted && (client.status !== 429 || (await control.countMatches(fixture)) > 0)
    const before = this.#countKnown(fixture)
    const isLogged = async (): Promise<boolean> => (await control.requestsOf(fixture)).length > before
    await this.waitUntil(isLogged, mayWait ? LOG_DEADLINE_MS : 0)
    // The upstream logs a request at the end of its response, which a gateway may not wait for.
    if (mayWait && !(await isLogged()))
      await this.waitUntil(async () => (await control.isIdle()) || (await isLogged()), MAX_RESPONSE_MS)
    const upstream = await control.requestsOf(fixture)
    return { trial, word, fixture, client, form, wasAborted, upstream }
  }

  #record(exchange: Exchange, form?: FormFields): void {
    if (this.#shown.has(exchange)) return
    this.#shown.add(exchange)
    this.#parts.scope.recorder.add(exchange, form)
  }

  #build(trial: Trial, word: string): { readonly request: ApiRequest; readonly form?: FormFields } {
    const { operation = 'chat', headers, key } = trial
    const defaults = this.#parts.defaultsFor(operation, word)
    const options = { ...(headers === undefined ? {} : { headers }), ...(key === undefined ? {} : { key }) }
    if (operation === 'transcriptions') {
      const form = buildFormFields(defaults, trial.form ?? {})
      return { request: buildFormRequest(defaults, form, options), form }
    }
    const request = buildJsonRequest(operation, defaults, trial.fields?.(word) ?? {}, options)
    if (trial.rewrite === undefined) return { request }
    return { request: { ...request, body: Buffer.from(trial.rewrite(Buffer.from(request.body ?? []).toString())) } }
  }

  /** Describes a request at the upstream for the evidence. Its address shows that it is the other end. */
  #describeUpstream(request: UpstreamRequest, { startedAtMs }: Exchange): Exchange {
    const { method, path, requestHeaders = {}, bodies = { request: '', response: '' }, status, totalMs } = request
    const body = Buffer.from(bodies.response)
    return buildExchange(
      { method, path, headers: requestHeaders, body: Buffer.from(bodies.request), url: this.run.control.url + path },
      startedAtMs + 1,
      { status: status ?? 0, headers: {}, body: { bytes: body, ends: [body.length], timesMs: [0] }, totalMs },
    )
  }
}

/** Conditions of the fixture that recognizes a request by its content, because a gateway may drop every header. */
function conditionsOf({ operation = 'chat' }: Trial, word: string): Readonly<Record<string, unknown>> {
  switch (operation) {
    case 'chat':
      return { operation, anyMessage: { matches: word } }
    case 'transcriptions':
      return { operation }
    default:
      return { operation, message: { matches: word } }
  }
}
