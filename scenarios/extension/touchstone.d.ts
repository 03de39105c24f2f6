/**
 * API of the k6 extension for scenarios. Go takes all times on the monotonic clock where bytes are read; they are
 * milliseconds with fractions. Metrics:
 * - time to first token (ttft)
 * - gap between content events (gap)
 * - time per output token after the first (tpot)
 * - request start to last byte (e2e)
 * - actual minus planned start (start lag)
 *
 * All but start lag cover responses with a 2xx status; ttft and gap also cover streams that the script aborted.
 *
 * k6 has the trends `ttft`, `gap`, `tpot`, `e2e` and `start_lag`, each with a counter (`ttft_count`, …). It also has
 * the counters `tokens` (completion), `stream_events` and `good`, with k6's request tags and `operation`.
 */
declare module 'k6/x/touchstone' {
  /** Operation under which metrics are recorded. */
  export type LoadOperation = 'models' | 'chat' | 'chat-stream' | 'images' | 'transcriptions' | 'speech'

  /** Configures the process. Later calls with different settings throw. */
  export function setUp(settings: ExtensionSettings): void

  export interface ExtensionSettings {
    /** Upper bounds, per operation, for a request to count as good. `gapMs` applies to each gap. */
    readonly limits?: Partial<Record<LoadOperation, RequestLimits>>
    /**
     * File that receives a line of JSON each second of the run, e.g. `/dev/fd/3`. The run ends when the process that
     * started k6 exits.
     */
    readonly progressPath?: string
    /**
     * File that receives a line of JSON for each stream, with the time of each event. For calibration, not for load.
     */
    readonly eventsPath?: string
    /**
     * Passes each gap to k6 separately, for k6's own outputs; a threshold on `gap` has the same effect. Default: false,
     * because k6 keeps every value, which takes a fifth more time. The histograms of `result` always contain all gaps.
     */
    readonly gapTrend?: boolean
    /**
     * Spend limit of the run, in units of 0.0001 credit. A request is not sent if it could exceed the limit together
     * with the requests in flight. Those are read to the end, then the run ends like `test.abort` (code 108).
     */
    readonly maxUnits?: number
    /** Unix time of the plan's start, shared by several processes. Default: the first call of `next`. */
    readonly startAtUnixMs?: number
  }

  export interface RequestLimits {
    readonly ttftMs?: number
    readonly gapMs?: number
    readonly tpotMs?: number
    readonly e2eMs?: number
  }

  /**
   * Planned arrivals, ascending, in milliseconds from the plan's start; with a trace also the sizes of each request.
   */
  export interface Arrivals {
    readonly atMs: readonly number[]
    readonly promptTokens?: readonly number[]
    readonly outputTokens?: readonly number[]
  }

  /**
   * The plan of this process. `build` is called once, for any number of VUs. Of k segments, the i-th takes the arrivals
   * whose position is i mod k.
   */
  export function plan(build: () => Arrivals): Plan

  export interface Plan {
    /** Waits until the next arrival is due and takes it. Returns null after the last arrival, or when the run ends. */
    next(): Turn | null
    /** Number of arrivals of the whole plan. k6 itself divides a number of iterations among segments. */
    readonly count: number
  }

  export interface Turn {
    /** Position in the whole plan. */
    readonly index: number
    readonly startLagMs: number
    readonly promptTokens: number | null
    readonly outputTokens: number | null
  }

  /** A file that is loaded once per process, for any number of VUs. */
  export function file(path: string): FileHandle

  export interface FileHandle {
    readonly bytes: number
  }

  /**
   * Sends one request, without retries, and reads its response to the end. Never throws because of a target's
   * behaviour.
   */
  export function send(request: LoadRequest): Outcome

  export interface LoadRequest {
    readonly operation: LoadOperation
    readonly method: 'GET' | 'POST'
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | Multipart
    /** Model under which tokens and charges are counted. */
    readonly model?: string
    readonly stream?: StreamReading
    /**
     * Maximum cost of the request, counted against `maxUnits`. Default: 0. The response's `usage` replaces it, if
     * present.
     */
    readonly cost?: { readonly unitsPerToken: number; readonly maxTokens: number }
    /** The planned arrival of this request. Its start lag is recorded with the request. */
    readonly turn?: Turn
    /** Statuses that do not count as failures. Default: 200 to 299. */
    readonly expectedStatuses?: readonly number[]
    /** Default: 60,000. */
    readonly timeoutMs?: number
    /** Default: 64 MiB. A longer response is a failure. */
    readonly maxBytes?: number
    /** Additional tags for k6's metrics. */
    readonly tags?: Readonly<Record<string, string>>
    /** Text that must occur in the response to this request and in no other. Detects cross-talk. */
    readonly nonce?: string
  }

  export interface Multipart {
    readonly fields: Readonly<Record<string, string>>
    readonly file: { readonly field: string; readonly handle: FileHandle; readonly name: string; readonly type: string }
  }

  export interface StreamReading {
    /**
     * Path to the text of an event. Default: `choices.0.delta.content`. Use `.` if the event is only the text, bare or
     * as a JSON string.
     */
    readonly contentPath?: string
    /** Aborts the stream after this number of content events. */
    readonly abortAfterEvents?: number
    /**
     * The target sends each token as a separate event: `usage` must then count as many tokens as there are events with
     * text.
     */
    readonly tokenPerEvent?: boolean
    /** Passes all events to the script; slow. */
    readonly keepEvents?: boolean
  }

  export interface Outcome {
    /** 0 if no status line arrived. */
    readonly status: number
    /** True for an expected status and a complete response. */
    readonly isOk: boolean
    /** `timeout`, `refused`, `reset`, `too-large`, `cut`, …; null for a complete response. */
    readonly error: string | null
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** The first 64 KiB of text of a response that is not a stream, or of an error response; null for a binary one. */
    readonly body: string | null
    readonly bytes: number
    readonly ttftMs: number | null
    readonly e2eMs: number
    readonly events: number
    readonly contentEvents: number
    readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null
    readonly finishReason: string | null
    /** Violations in the stream, one sentence each. */
    readonly violations: readonly string[]
    /** Set with `keepEvents`. */
    readonly kept?: readonly { readonly atMs: number; readonly data: string }[]
  }

  /** Returns all counts of this process as JSON (`ExtensionResult` in scenarios/lib/extension-result.ts). */
  export function result(): string
}
