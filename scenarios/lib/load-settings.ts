import type { ModelOperation, OptionSettings } from './option-values.ts'

/**
 * Settings of a k6 script: JSON in the environment variable `TOUCHSTONE_LOAD`. API keys have their own variables:
 * `TOUCHSTONE_KEY`, `TOUCHSTONE_KEY_LIMITED` and `TOUCHSTONE_KEY_SMALL`. If the user runs k6 directly, only the target
 * is required (`TOUCHSTONE_TARGET`).
 */
export interface LoadSettings extends TrafficSettings {
  /** Base address without `/v1`. */
  readonly target: string
}

/** Settings that do not depend on the target. `option-table.ts` documents those that are also command-line options. */
export interface TrafficSettings extends OptionSettings {
  readonly arrivals: 'closed' | 'constant' | 'poisson' | 'trace'
  /** Stages of the load: requests per second for planned arrivals, concurrent requests for a closed loop. */
  readonly stages: readonly Stage[]
  /** Number of k6 VUs: the maximum number of concurrent requests. */
  readonly vus: number
  /** Total number of iterations of a closed loop. */
  readonly iterations?: number
  readonly models: Readonly<Record<ModelOperation, string>>
  /** Whether the target sends each token in a separate event. */
  readonly tokenPerEvent?: boolean
  /** Absolute path of the trace file. */
  readonly tracePath?: string
  /** Maximum number of content events before a client of the scenario `abort` aborts its stream. */
  readonly abortAfterEvents?: number
  /** k6 thresholds, keyed by metric with its tags. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>
  /** Ends the run when a threshold is exceeded, but not during the first ten seconds. */
  readonly stopsWhenBroken?: boolean
  /** Settings that are passed to the extension unchanged. */
  readonly extension: {
    readonly limits?: Readonly<Record<string, Readonly<Record<string, number>>>>
    readonly progressPath?: string
    readonly eventsPath?: string
    /** Prefix of the IDs that requests carry in `x-client-request-id`; without it they carry none. */
    readonly requestIds?: string
    readonly gapTrend?: boolean
    /** Upper bounds of latencies whose samples are counted for progress. */
    readonly budgets?: readonly { readonly operation: string; readonly metric: string; readonly limitMs: number }[]
    readonly startAtUnixMs?: number
    readonly maxUnits?: number
  }
  /**
   * File to which the result (`ExtensionResult`) is written at the end, instead of k6's summary; `stdout` is the
   * standard output of k6.
   */
  readonly resultPath?: string
}

/** A linear change of the load from `from` to `to`. */
export interface Stage {
  readonly durationS: number
  readonly from: number
  readonly to: number
}
