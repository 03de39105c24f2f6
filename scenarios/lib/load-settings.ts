import type { ModelOperation, OptionSettings } from './option-values.ts'

/**
 * Settings of a k6 script: JSON in the environment variable `TOUCHSTONE_LOAD`. API keys have variables of their own:
 * `TOUCHSTONE_KEY`, `TOUCHSTONE_KEY_LIMITED` and `TOUCHSTONE_KEY_SMALL`. With k6 alone, every setting has a default except the target
 * (`TOUCHSTONE_TARGET`).
 */
export interface LoadSettings extends TrafficSettings {
  /** Base address without `/v1`. */
  readonly target: string
}

/** Settings that do not depend on the target. `option-table.ts` describes those that are also command line options. */
export interface TrafficSettings extends OptionSettings {
  readonly arrivals: 'closed' | 'constant' | 'poisson' | 'trace'
  /** Requests per second for planned arrivals, concurrent requests for a closed loop. */
  readonly stages: readonly Stage[]
  /** Number of k6 VUs: the maximum number of concurrent requests. */
  readonly vus: number
  /** Closed loop: total number of iterations. */
  readonly iterations?: number
  readonly models: Readonly<Record<ModelOperation, string>>
  /** The target sends each token in a separate event. */
  readonly tokenPerEvent?: boolean
  /** Trace file, absolute path. */
  readonly tracePath?: string
  /** Scenario abort: maximum number of content events before a client aborts its stream. */
  readonly abortAfterEvents?: number
  /** k6's thresholds, by metric with its tags. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>
  /** Ends the run when a threshold is broken, but not in the first ten seconds. */
  readonly stopsWhenBroken?: boolean
  /** Settings of the extension, passed on unchanged. */
  readonly extension: {
    readonly limits?: Readonly<Record<string, Readonly<Record<string, number>>>>
    readonly progressPath?: string
    readonly eventsPath?: string
    readonly gapTrend?: boolean
    readonly startAtUnixMs?: number
    readonly maxUnits?: number
  }
  /** File to which the result (`ExtensionResult`) is written at the end, in place of k6's summary. */
  readonly resultPath?: string
}

/** A linear change of the load from `from` to `to`. */
export interface Stage {
  readonly durationS: number
  readonly from: number
  readonly to: number
}
