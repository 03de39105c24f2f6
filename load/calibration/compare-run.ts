import type { Calibration } from '../../reports/load-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { MeasurementErrorFinder } from '../metrics/measurements.ts'
import { type EmulatorAddress, readBodyDigests, readTimings } from '../target/emulator-client.ts'
import { calculateError, calculateErrors } from './estimate-errors.ts'
import { joinEvents } from './join-events.ts'

export interface RunComparison {
  readonly calibration: Calibration
  readonly errorOf: MeasurementErrorFinder
  /** Number of compared response bodies, or null if the emulator does not record digests. */
  readonly bodiesCompared: number | null
  /** Request IDs of responses whose body differs from the body that the emulator sent. */
  readonly differentBodies: readonly string[]
}

/**
 * Compares the responses of a run with the emulator's record, and calculates the measurement error.
 * @throws Error if the record cannot be read
 */
export async function compareRun(
  emulator: EmulatorAddress,
  events: readonly EventsResult[],
  concurrency: number,
): Promise<RunComparison> {
  const { differences, joined, unjoined } = joinEvents(events, await readTimings(emulator))
  const digests = await readBodyDigests(emulator)
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
      figures: calculateErrors(differences),
    },
    errorOf: (operation, metric) => {
      const own = differences.filter((compared) => compared.operation === operation && compared.metric === metric)
      return own.length === 0 ? null : calculateError(own)
    },
    bodiesCompared: digests.size === 0 ? null : comparable.length,
    differentBodies: comparable.filter(({ isSame }) => !isSame).map(({ requestId }) => requestId),
  }
}
