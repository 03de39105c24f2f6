import type { Calibration, LoadMetricName } from '../../reports/load-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { ErrorOf } from '../metrics/measurements.ts'
import { readDigests, readTimings } from '../target/emulator-client.ts'
import { type Differences, differencesOf, errorOfDifferences, joinEvents } from './join-events.ts'

/** Metrics that have a truth. The start lag is measured against the plan, which is one itself. */
const METRICS: readonly LoadMetricName[] = ['ttftMs', 'gapMs', 'tpotMs', 'e2eMs']

/** What the emulator's own record says of a run against it. */
export interface Comparison {
  readonly calibration: Calibration
  readonly errorOf: ErrorOf
  /** Null: the emulator keeps no digests. */
  readonly bodiesCompared: number | null
  /** Request ids of bodies that are not what was sent. */
  readonly differentBodies: readonly string[]
}

/** Holds a run's own requests against the record of the emulator that answered them. @throws when it does not tell */
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
    calibration: { source: 'run', concurrency, joined, unjoined, profiles: [], figures: errorFigures(differences) },
    errorOf: (operation, metric) => {
      const { n: _, ...error } = errorOfDifferences(differences.get(operation)?.get(metric) ?? []) ?? { n: 0 }
      return 'biasMs' in error ? error : null
    },
    bodiesCompared: digests.size === 0 ? null : comparable.length,
    differentBodies: comparable.filter(({ isSame }) => !isSame).map(({ requestId }) => requestId),
  }
}

/** The error of each metric, of all operations together. */
export function errorFigures(differences: Differences): Calibration['figures'] {
  return Object.fromEntries(
    METRICS.flatMap((metric) => {
      const error = errorOfDifferences(differencesOf(differences, metric))
      return error === undefined ? [] : [[metric, error]]
    }),
  )
}
