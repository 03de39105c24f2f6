import type { LoadOperation } from './load-operation.ts'

/**
 * What the runner tells a scenario: JSON in the environment variable `TOUCHSTONE_LOAD`. Keys travel apart, in
 * `TOUCHSTONE_KEY`, `TOUCHSTONE_KEY_LIMITED` and `TOUCHSTONE_KEY_SMALL`. A scenario that is run by hand, with k6 alone, has
 * a default for everything but the target (`TOUCHSTONE_TARGET`).
 */
export interface LoadSettings {
  /** Base address without `/v1`. */
  readonly target: string
  readonly arrivals: 'closed' | 'constant' | 'poisson' | 'trace'
  /** Requests per second for planned arrivals, requests at once for a closed loop; linear from `from` to `to`. */
  readonly stages: readonly Stage[]
  /** Most requests at once. */
  readonly vus: number
  /** Closed loop: end after this many iterations in all, however long it takes. */
  readonly iterations?: number
  readonly seed: number
  /** Model by operation (`chat` for both sorts of chat). */
  readonly models: Readonly<Record<'chat' | 'images' | 'transcriptions' | 'speech', string>>
  readonly maxTokens: number
  /** Rough length of a prompt, in words. */
  readonly promptWords: number
  /** Where the text of a stream's event is; default `choices.0.delta.content`; `.` for events that are nothing but text. */
  readonly contentPath?: string
  /** The target sends each token as an event of its own. */
  readonly tokenPerEvent?: boolean
  /** Streams ask for their usage by `stream_options`, which the document does not name; default true. */
  readonly asksForUsage?: boolean
  /** Prompts ask for a word that the answer has to begin with, so that an answer to somebody else is noticed. */
  readonly asksForEcho?: boolean
  /** Lines of JSON, `{"atMs", "promptTokens", "outputTokens"}`; absolute path. */
  readonly tracePath?: string
  /** Of mixed: share by operation. */
  readonly weights?: Readonly<Partial<Record<LoadOperation, number>>>
  /** Of abort: content events after which a client leaves, at most. */
  readonly abortAfterEvents?: number
  /** Of rate-limit: what is declared of the limited key. */
  readonly limit?: DeclaredLimit
  /** Of credit-drain: what the small account holds, as a decimal string. */
  readonly smallBalance?: string
  readonly timeoutMs: number
  /** Takes any certificate. */
  readonly skipsTlsCheck?: boolean
  /** k6's thresholds, by metric with its tags. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>
  /** The run ends as soon as a threshold is broken, but not in its first ten seconds. */
  readonly stopsWhenBroken?: boolean
  /** Handed to the extension as they are. */
  readonly extension: {
    readonly limits?: Readonly<Record<string, Readonly<Record<string, number>>>>
    readonly progressPath?: string
    readonly eventsPath?: string
    readonly gapTrend?: boolean
    readonly startAtUnixMs?: number
    readonly maxUnits?: number
  }
  /** Where the result (`ExtensionResult` in scenarios/lib/extension-result.ts) is written at the end, in place of k6's summary. */
  readonly resultPath?: string
}

/** A stretch of the run. */
export interface Stage {
  readonly durationS: number
  readonly from: number
  readonly to: number
}

/** A limit of requests. With `burst` it is a bucket that holds so many, refilled evenly; else a window, of whatever sort. */
export interface DeclaredLimit {
  readonly requests: number
  readonly windowS: number
  readonly burst?: number
  /** The client waits as `Retry-After` says, one request at a time; else it goes on asking. */
  readonly obey: boolean
}
