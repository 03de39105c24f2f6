import type { Calibration, LoadMetricName } from '../../reports/load-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { ErrorOf } from '../metrics/measurements.ts'
import { readDigests, readTimings } from '../target/emulator-client.ts'
import { type Differences, calculateDifferences, summarizeDifferences, joinEvents } from './join-events.ts'

/**
 * Metrics that the emulator records, too. It does not record scheduling delays, which are measured against the plan.
 */
const METRICS: readonly LoadMetricName[] = ['ttftMs', 'gapMs', 'tpotMs', 'e2eMs']

/** Comparison of a run with the record of its target, an emulator. */
export interface Comparison {
  readonly calibration: Calibration
  readonly errorOf: ErrorOf
  /** Null where the emulator keeps no digests. */
  readonly bodiesCompared: number | null
  /** Request ids of responses whose body is not the one that the emulator sent. */
  readonly differentBodies: readonly string[]
}

/** Compares the responses of a run with the record of the emulator. @throws Error when the record cannot be read */
export async function compareRun(
  target: string,
  events: readonly EventsResult[],
  concurrency: number,
): Promise<Comparison> {
  const { differences, joined, unjoined } = joinEvents(events, await readTimings(target))
  const digests = await readDigests(target)
  const comparable = events.flatMap(({ requestId, bodySha256 }) => {
    const sent = requestId === null ? undefined : digests.get(requestId)
    return requestId === null || bodySha256 === null || sent === undefined
      ? []
      : [{ requestId, isSame: sent === bodySha256 }]
  })
  return {
    calibration: {
      source: 'run',
      concurrency,
      joined,
      unjoined,
      profiles: [],
      figures: calculateErrorFigures(differences),
    },
    errorOf: (operation, metric) => {
      const { n: _, ...error } = summarizeDifferences(differences.get(operation)?.get(metric) ?? []) ?? { n: 0 }
      return 'biasMs' in error ? error : null
    },
    bodiesCompared: digests.size === 0 ? null : comparable.length,
    differentBodies: comparable.filter(({ isSame }) => !isSame).map(({ requestId }) => requestId),
  }
}

/** Error of each metric, for all operations together. */
export function calculateErrorFigures(differences: Differences): Calibration['figures'] {
  return Object.fromEntries(
    METRICS.flatMap((metric) => {
      const error = summarizeDifferences(calculateDifferences(differences, metric))
      return error === undefined ? [] : [[metric, error]]
    }),
  )
}
