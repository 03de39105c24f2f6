import type { Calibration } from '../../reports/load-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { MeasurementErrorFinder } from '../metrics/measurements.ts'
import { type EmulatorAddress, readTimings } from '../target/emulator-client.ts'
import { calculateError, calculateErrors } from './estimate-errors.ts'
import { joinEvents } from './join-events.ts'

export interface RunComparison {
  readonly calibration: Calibration
  readonly errorOf: MeasurementErrorFinder
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
  return {
    calibration: { source: 'run', concurrency, joined, unjoined, profiles: [], figures: calculateErrors(differences) },
    errorOf: (operation, metric) => {
      const own = differences.filter((compared) => compared.operation === operation && compared.metric === metric)
      return own.length === 0 ? null : calculateError(own)
    },
  }
}
