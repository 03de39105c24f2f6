import type { Operation } from '../../contract/facts.ts'
import { type AnyCheck, isSummaryCheck, type SummaryOutcome } from '../engine/check.ts'
import type { ExchangeError } from '../http/exchange.ts'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import type { LoggedExchange, RunLog } from '../traffic/run-log.ts'
import { breakdownChecks } from '../sections/7-breakdowns/breakdowns.ts'

/** How an attempt ended: with a status, a transport error, or a stream that contains an error event. */
type End = number | ExchangeError | 'error-event'

export interface Sent {
  readonly attempts: readonly End[]
  readonly kind?: LoggedExchange['kind']
  /** Default: `funded`. */
  readonly key?: LoggedExchange['key']
  readonly operation?: Operation
  readonly totalMs?: number
  /** Default: `POST`. */
  readonly method?: string
  /** Whether the request sets `stream: true`. */
  readonly isStream?: boolean
  readonly model?: string
  /** Body of the request, if it is not JSON. */
  readonly text?: string | Uint8Array
  /** Start time of each attempt, in milliseconds since the start of the run. Default: 0. */
  readonly startsMs?: readonly number[]
  readonly headers?: Readonly<Record<string, string>>
  readonly parallel?: number
}

const ERROR_EVENT = {
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: 'data: {"choices":[]}\n\ndata: {"error":{"message":"overloaded"}}\n\n',
}

function exchangeOf(sent: Sent, end: End, index: number) {
  const { totalMs = 100, method = 'POST', isStream = false, model, text, headers = {}, startsMs = [] } = sent
  const body = Buffer.from(text ?? JSON.stringify({ stream: isStream, model }))
  const json = { 'content-type': 'application/json' }
  const request = { method, path: '/v1/chat/completions', headers: json, body }
  if (end === 'error-event') return { ...createScriptedExchange(ERROR_EVENT, request), totalMs, startedAtMs: 0 }
  const served = { headers, body: '{"choices":[]}' }
  const response =
    typeof end === 'number' ? { ...served, status: end } : { status: 0, error: { kind: end, message: end } }
  return { ...createScriptedExchange(response, request), totalMs, startedAtMs: startsMs[index] ?? 0 }
}

function logOf(all: readonly Sent[]): LoggedExchange[] {
  return all.flatMap((sent, request) => {
    const { attempts, kind = 'valid', key = 'funded', operation = 'chat', parallel } = sent
    return attempts.map((end, index) => ({
      source: '4.2/a',
      operation,
      key,
      kind,
      request,
      isFinal: index === attempts.length - 1,
      ...(parallel !== undefined && { parallel }),
      exchange: exchangeOf(sent, end, index),
      form: undefined,
    }))
  })
}

/** Evaluates a log with one of the breakdown checks. */
export function summarize(
  id: string,
  all: readonly Sent[],
  limits: Pick<RunLog, 'maxFlakesPercent'> = {},
): SummaryOutcome {
  const check: AnyCheck | undefined = breakdownChecks.find((one) => one.id === id)
  if (check === undefined || !isSummaryCheck(check)) throw new Error(`no summary check ${id}`)
  return check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges: logOf(all), ...limits })
}

export function repeat(count: number, sent: Sent): Sent[] {
  return Array.from({ length: count }, () => sent)
}

export const SERVED: Sent = { attempts: [200] }
