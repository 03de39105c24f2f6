import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../../contract/facts.ts'
import type { FormFields, Recorder } from '../evidence/recorder.ts'
import type { Exchange, ExchangeError, RequestSpec } from '../http/exchange.ts'
import { parseJson } from '../http/decode-body.ts'
import { sendRequest } from '../http/send-request.ts'
import type { WireOptions } from '../http/http-options.ts'
import { whyEnded } from './time-limit.ts'
import { operationOf } from '../latency/latency-samples.ts'
import { ceilingUnits, unitsPerToken } from './prices.ts'
import { waitBeforeRetryMs } from '../http/retry-after.ts'
import type { Session } from './session.ts'

/** Most milliseconds that one check waits for rate limits to pass. */
const WAIT_BUDGET_MS = 30_000

/** Sends as it stands: the HTTP client, or raw bytes. */
export type Sender = (spec: RequestSpec, options: WireOptions) => Promise<Exchange>

/** One request of a check on its way through budgets, deadlines and rate limits. */
export interface Outgoing {
  readonly spec: RequestSpec
  readonly recorder: Recorder
  /** The operation whose time-outs count: the check's. Work before the checks has none. */
  readonly operation?: Operation
  readonly form?: FormFields
  readonly sender?: Sender
  /** True takes a 429 for the answer. */
  readonly keepsLimit?: boolean
}

/**
 * Sends a request for a check. A 429 is waited out, since it is a fact about the tester, unless the key is one whose
 * limit or balance is the subject. Where nothing may be sent, the recorder says why and the exchange carries an error.
 */
export async function sendFor(session: Session, outgoing: Outgoing): Promise<Exchange> {
  const { recorder } = outgoing
  recorder.countRequest()
  for (let attempt = 0; ; attempt += 1) {
    await keepPace(session, outgoing)
    const refusal = refusalOf(session, outgoing)
    if (refusal !== undefined) {
      recorder.stopFor(refusal.message)
      return notSent(session, outgoing.spec, refusal)
    }
    const exchange = await sendOnce(session, outgoing)
    if (outgoing.keepsLimit === true || isSubjectOfTest(session, outgoing.spec)) {
      return exchange
    }
    if (exchange.status !== 429) {
      if (exchange.status >= 200 && exchange.status < 300) {
        session.patience.restore(outgoing.operation)
      }
      return exchange
    }
    const waitMs = waitBeforeRetryMs(exchange.headers, attempt, Date.now())
    if (session.patience.isSpent(outgoing.operation) || recorder.waitedMs + waitMs > WAIT_BUDGET_MS) {
      session.patience.spend(outgoing.operation)
      const told = Math.ceil(waitMs / 1000)
      recorder.stopFor(
        `The target kept answering 429 (next try in ${told} s): give a key with a higher limit, or --concurrency 1.`,
      )
      return exchange
    }
    recorder.addWait(waitMs)
    await pause(waitMs, session.wire.signal)
  }
}

/** Waits, in milliseconds; ends early, without an error, when the run is interrupted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

/** A burst is meant to be faster than the pace that the target's owner asks for. */
async function keepPace(session: Session, { spec, keepsLimit }: Outgoing): Promise<void> {
  const waitMs = keepsLimit === true || isSubjectOfTest(session, spec) ? 0 : session.pace.takeTurn(session.wire.nowMs())
  if (waitMs > 0) {
    await pause(waitMs, session.wire.signal)
  }
}

async function sendOnce(session: Session, { spec, recorder, operation, form, sender }: Outgoing): Promise<Exchange> {
  session.budget.spend(ceilingOf(session, spec))
  const exchange = await (sender ?? sendRequest)(withHeaders(session, spec), session.wire)
  recorder.add(exchange, form)
  if (exchange.error?.kind === 'interrupted') {
    recorder.stopFor(whyEnded(session.wire.signal))
  } else if (operation !== undefined) {
    session.timeouts.note(operation, exchange.error?.kind === 'timeout')
  }
  session.latency.note(exchange)
  noteUsage(session, exchange)
  return exchange
}

function withHeaders(session: Session, spec: RequestSpec): RequestSpec {
  const usual = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'touchstone' }
  return { ...spec, headers: { ...usual, ...session.settings.target.headers, ...spec.headers } }
}

interface Refusal {
  readonly kind: ExchangeError
  readonly message: string
}

function refusalOf(session: Session, { spec, recorder, operation }: Outgoing): Refusal | undefined {
  if (session.wire.signal.aborted) {
    return { kind: 'interrupted', message: whyEnded(session.wire.signal) }
  }
  const message =
    recorder.obstacle ??
    (operation === undefined ? undefined : session.timeouts.refusal(operation)) ??
    session.budget.refusal(1, ceilingOf(session, spec))
  return message === undefined ? undefined : { kind: 'budget', message }
}

function notSent(session: Session, spec: RequestSpec, error: Refusal): Exchange {
  return {
    request: { ...spec, url: session.wire.baseUrl + spec.path },
    startedAtMs: session.wire.nowMs(),
    totalMs: 0,
    status: 0,
    headers: {},
    body: new Uint8Array(),
    text: '',
    json: undefined,
    events: [],
    unfinishedFrame: false,
    error,
  }
}

/** Only a key with credits can be charged. */
function ceilingOf(session: Session, spec: RequestSpec): number {
  const { funded, limited, small } = session.settings.target.keys
  const authorization = spec.headers['authorization'] ?? ''
  const canCharge = [funded, limited, small].some((key) => key !== undefined && authorization.includes(key))
  if (!canCharge || spec.body === undefined || operationOf(spec.method, spec.path) === 'transcriptions') {
    return 0
  }
  return ceilingUnits(parseJson(Buffer.from(spec.body).toString('utf8')))
}

function isSubjectOfTest(session: Session, spec: RequestSpec): boolean {
  const { noCredits, limited } = session.settings.target.keys
  const authorization = spec.headers['authorization']
  return (
    authorization !== undefined && [noCredits, limited].some((key) => key !== undefined && authorization.includes(key))
  )
}

function noteUsage(session: Session, { json, status }: Exchange): void {
  if (status !== 200 || typeof json !== 'object' || json === null || !('usage' in json) || !('model' in json)) {
    return
  }
  const { usage, model } = json
  const price = typeof model === 'string' ? unitsPerToken(model) : undefined
  const hasTotal = typeof usage === 'object' && usage !== null && 'total_tokens' in usage
  if (
    price !== undefined &&
    hasTotal &&
    typeof usage.total_tokens === 'number' &&
    Number.isInteger(usage.total_tokens)
  ) {
    session.knownUnits = (session.knownUnits ?? 0) + price * usage.total_tokens
  }
}
