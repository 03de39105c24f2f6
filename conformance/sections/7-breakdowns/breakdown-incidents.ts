import type { LoggedExchange } from '../../traffic/run-log.ts'
import { hasTesterSideError, isStaleConnectionError } from '../../http/breakdown.ts'
import { hasServerError } from '../../http/stream-error.ts'

/** Maximum time between consecutive breakdowns of one incident, in milliseconds. */
const MAX_GAP_MS = 5000
/** Minimum number of consecutive breakdowns of an operation that form an outage. */
const MIN_OUTAGE = 2

/**
 * Maximum time between an outage of one operation and a breakdown of another operation that belongs to the same
 * incident, in milliseconds, if a request succeeds between them. Otherwise, the maximum is MAX_GAP_MS.
 */
const MAX_LAG_MS = 1000

/** Breakdowns with a common cause: a single breakdown or an outage. */
export interface BreakdownIncident {
  readonly requests: ReadonlySet<number>
  /** End of the first breakdown, in milliseconds since the start of the run. */
  readonly startMs: number
  readonly endMs: number
  readonly isOutage: boolean
}

/**
 * Groups the breakdowns of a run into incidents. Consecutive breakdowns of an operation, without a success between
 * them, form an outage. An outage counts as one incident, regardless of its number of requests. It includes breakdowns
 * of other operations at the same time, unless more requests started and succeeded in that time than broke down.
 */
export function findBreakdownIncidents(exchanges: readonly LoggedExchange[]): readonly BreakdownIncident[] {
  const evaluated = exchanges.filter(
    ({ exchange }) => !hasTesterSideError(exchange) && !isStaleConnectionError(exchange),
  )
  const inOrder = evaluated.toSorted((a, b) => endOf(a) - endOf(b))
  const incidents = [...Map.groupBy(inOrder, ({ operation }) => operation).values()].flatMap(findInOperation)
  return mergeOutages(
    incidents,
    inOrder.filter(({ exchange }) => !hasServerError(exchange)),
  )
}

/** Finds the incidents of one operation, whose exchanges are in the order in which they ended. */
function findInOperation(exchanges: readonly LoggedExchange[]): BreakdownIncident[] {
  const runs: LoggedExchange[][] = []
  let current: LoggedExchange[] | undefined
  for (const logged of exchanges) {
    if (!hasServerError(logged.exchange)) {
      current = undefined
      continue
    }
    const last = current?.at(-1)
    if (current === undefined || (last !== undefined && logged.exchange.startedAtMs - endOf(last) > MAX_GAP_MS)) {
      current = []
      runs.push(current)
    }
    current.push(logged)
  }
  return runs.map((run) => ({
    requests: new Set(run.map(({ request }) => request)),
    startMs: Math.min(...run.map(endOf)),
    endMs: Math.max(...run.map(endOf)),
    isOutage: run.length >= MIN_OUTAGE,
  }))
}

/** Merges each outage with the breakdowns of other operations at the same time, by the exchanges that succeeded. */
function mergeOutages(
  incidents: readonly BreakdownIncident[],
  successes: readonly LoggedExchange[],
): BreakdownIncident[] {
  const merged: BreakdownIncident[] = []
  // Merges the outages first, because a single breakdown can only join an outage.
  const order = (incident: BreakdownIncident) => (incident.isOutage ? 0 : 1)
  for (const incident of incidents.toSorted((a, b) => order(a) - order(b) || a.startMs - b.startMs)) {
    const index = merged.findIndex((one) => one.isOutage && areTogether(one, incident, successes))
    const known = merged[index]
    if (known === undefined) merged.push(incident)
    else merged[index] = mergeIncidents(known, incident)
  }
  return merged.toSorted((a, b) => a.startMs - b.startMs)
}

/** Returns whether an outage and another incident have a common cause, by their times and the successes among them. */
function areTogether(
  outage: BreakdownIncident,
  incident: BreakdownIncident,
  successes: readonly LoggedExchange[],
): boolean {
  const [first, second] = incident.startMs < outage.startMs ? [incident, outage] : [outage, incident]
  if (second.startMs > first.endMs + MAX_GAP_MS) return false
  // Ignores requests that started earlier, because they may succeed during an outage.
  const listServed = (fromMs: number, untilMs: number) =>
    successes.filter((sent) => sent.exchange.startedAtMs >= fromMs && endOf(sent) <= untilMs)
  const both = mergeIncidents(first, second)
  if (listServed(both.startMs, both.endMs).length > both.requests.size) return false
  return second.startMs <= first.endMs + MAX_LAG_MS || listServed(first.endMs, second.startMs).length === 0
}

function mergeIncidents(one: BreakdownIncident, other: BreakdownIncident): BreakdownIncident {
  return {
    requests: new Set([...one.requests, ...other.requests]),
    startMs: Math.min(one.startMs, other.startMs),
    endMs: Math.max(one.endMs, other.endMs),
    isOutage: true,
  }
}

function endOf({ exchange }: LoggedExchange): number {
  return exchange.startedAtMs + exchange.totalMs
}
