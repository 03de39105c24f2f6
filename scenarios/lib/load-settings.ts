import type { ExtensionSettings } from 'k6/x/touchstone'
import type { ModelOperation, OptionSettings } from './option-values.ts'

/**
 * Settings of a k6 script: JSON in the environment variable `TOUCHSTONE_LOAD`. API keys have separate variables:
 * `TOUCHSTONE_KEY`, `TOUCHSTONE_KEY_LIMITED` and `TOUCHSTONE_KEY_SMALL`. If the user runs k6 directly, only the target
 * is required (`TOUCHSTONE_TARGET`).
 */
export interface LoadSettings extends TrafficSettings {
  /** Base URL without `/v1`. */
  readonly target: string
}

/** Settings that do not depend on the target. For those that are also command-line options, see `option-table.ts`. */
export interface TrafficSettings extends OptionSettings {
  readonly arrivals: 'closed' | 'constant' | 'poisson' | 'trace'
  /**
   * Stages of the load. The unit is requests per second for planned arrivals, and concurrent requests for a closed
   * loop.
   */
  readonly stages: readonly Stage[]
  /** Number of k6 VUs: the maximum number of concurrent requests. */
  readonly vus: number
  /** Number of iterations of a closed loop, over all VUs. */
  readonly iterations?: number
  readonly models: Readonly<Record<ModelOperation, string>>
  /** Absolute path of the trace file. */
  readonly tracePath?: string
  readonly prompts?: PromptFile
  /** Maximum number of events with a token after which a client of the scenario `abort` aborts its stream. */
  readonly abortAfterEvents?: number
  /** k6 thresholds, keyed by metric (with tags). */
  readonly thresholds: Readonly<Record<string, readonly string[]>>
  /** Whether the run ends when a threshold is exceeded, except during the first ten seconds. */
  readonly stopsWhenBroken?: boolean
  /** Settings that the script passes to the extension unchanged. */
  readonly extension: Omit<ExtensionSettings, 'vus'>
  /**
   * File to which k6 writes the result (`ExtensionResult`) at the end, instead of its summary. `stdout` means the
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

/** A file with prompts (`parsePrompts`). A user of k6 gives only its path, and the script adds the other fields. */
export interface PromptFile {
  /** Absolute path. */
  readonly path: string
  /** Number of requests in the file. */
  readonly requests?: number
  /** Digest of the file in hex. */
  readonly sha256?: string
}
