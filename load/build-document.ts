import { SPEC_SHA256 } from '../contract/facts.ts'
import type { Calibration, LoadCredits, LoadDocument, LoadTarget } from '../reports/load-document.ts'
import type { Facts } from './metrics/measurements.ts'
import { entriesOf } from './metrics/measurements.ts'
import { roundMs } from './metrics/histogram.ts'
import type { Judgement } from './verdict/verdict.ts'

/** Everything that a document says beside facts and verdict. */
export interface Frame {
  readonly toolVersion: string
  readonly target: LoadTarget
  readonly scenario: string
  readonly profile: string
  readonly arrivals: string
  readonly credits: LoadCredits
  readonly calibration: Calibration | null
  readonly settings: LoadDocument['settings']
  readonly segment?: LoadDocument['segment'] | undefined
}

/** Puts a document together. */
export function assembleDocument(facts: Facts, judgement: Judgement, frame: Frame): LoadDocument {
  const { toolVersion, segment, ...others } = frame
  const { tokens: _, ...measured } = facts
  return {
    schemaVersion: 1,
    kind: 'load',
    tool: { name: 'touchstone', version: toolVersion },
    spec: { sha256: SPEC_SHA256 },
    ...measured,
    ...others,
    ...judgement,
    goodputPerSecond: goodputOf(facts),
    ...(segment === undefined ? {} : { segment }),
  }
}

function goodputOf({ requests, durationMs }: Facts): number {
  const good = entriesOf(requests.byOperation).reduce((sum, [, operation]) => sum + operation.good, 0)
  return durationMs <= 0 ? 0 : roundMs((good * 1000) / durationMs)
}
