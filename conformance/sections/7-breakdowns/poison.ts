import { hasBrokenDown } from '../../http/breakdown.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { getRequestText } from '../shared/response-access.ts'

/** Minimum number of new valid requests that break down after the request that poisoned the target. */
const MIN_BROKEN = 3

/** A request after which no new request was served, with the first valid request that broke down after it. */
export interface Poison {
  readonly poison: LoggedExchange
  readonly victim: LoggedExchange
}

/**
 * Finds an unusual or invalid request that broke down, or a request that the client aborted, and after which every new
 * valid request of the operation broke down, for example because it crashed a worker. Requests that the target has served
 * before do not count, because a cache may serve them again.
 * @param exchanges exchanges of one operation
 */
export function findPoison(exchanges: readonly LoggedExchange[]): Poison | undefined {
  const inOrder = exchanges.toSorted((a, b) => a.exchange.startedAtMs - b.exchange.startedAtMs)
  const fresh = inOrder.filter(
    ({ kind, isFinal, exchange }) =>
      kind === 'valid' && isFinal && (exchange.status > 0 || exchange.error?.kind === 'timeout'),
  )
  const served = new Map<string, LoggedExchange>()
  for (const logged of fresh) {
    const text = getRequestText(logged.exchange)
    if (!hasBrokenDown(logged.exchange) && !served.has(text)) served.set(text, logged)
  }
  const lastServedMs = Math.max(...[...served.values()].map(({ exchange }) => exchange.startedAtMs))
  const last = inOrder
    .filter(({ exchange }) => endOf(exchange) >= lastServedMs)
    .toSorted((a, b) => failureOf(a) - failureOf(b))
  const first = last.find(({ exchange }) => hasBrokenDown(exchange))
  const poison = first?.kind === 'valid' ? last.find((logged) => wasAbortedBefore(logged, first)) : first
  if (poison === undefined || served.size < MIN_BROKEN) return undefined
  const victims = fresh.filter(
    ({ exchange }) => exchange.startedAtMs >= endOf(poison.exchange) && hasBrokenDown(exchange),
  )
  const [victim] = victims
  return victim === undefined || victims.length < MIN_BROKEN ? undefined : { poison, victim }
}

/** Returns whether the client aborted a request that started before the end of the first breakdown. */
function wasAbortedBefore({ exchange }: LoggedExchange, first: LoggedExchange): boolean {
  return exchange.wasAborted === true && exchange.startedAtMs <= endOf(first.exchange)
}

/** Returns the time of a breakdown. A request without a response may have failed at its start, whatever its deadline. */
function failureOf({ exchange }: LoggedExchange): number {
  return exchange.error?.kind === 'timeout' ? exchange.startedAtMs : endOf(exchange)
}

function endOf({ startedAtMs, totalMs }: LoggedExchange['exchange']): number {
  return startedAtMs + totalMs
}
