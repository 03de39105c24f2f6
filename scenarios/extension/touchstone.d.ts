/**
 * API of the k6 extension for scenarios. Latencies start immediately before the first bytes of the request are written to
 * the socket, and end when the kernel receives the bytes that complete an event (where the kernel does not report it:
 * when they are read). They do not include opening a connection. Times are milliseconds with fractions. Metrics:
 * - time to first token (ttft)
 * - inter-token latency: time between content events (gap)
 * - time per output token after the first (tpot)
 * - time from the start of the request to the last byte (e2e)
 * - scheduling delay: actual minus planned start (start lag)
 *
 * Except for the start lag, metrics cover responses with a 2xx status; ttft and gap also cover streams that the script
 * aborted.
 *
 * In k6 these are the trends `ttft`, `gap`, `tpot`, `e2e` and `start_lag`, each with a counter (`ttft_count`, …).
 * Further counters are `tokens` (completion tokens), `stream_events` and `good`. All have k6's request tags and the tag
 * `operation`.
 */
declare module 'k6/x/touchstone' {
  /** Operation for which metrics are recorded. */
  export type LoadOperation = 'models' | 'chat' | 'chat-stream' | 'images' | 'transcriptions' | 'speech'

  /** Configures the process. Throws if an earlier call had different settings. */
  export function setUp(settings: ExtensionSettings): void

  export interface ExtensionSettings {
    /** Upper bounds per operation within which a request counts as good. `gapMs` applies to each gap. */
    readonly limits?: Partial<Record<LoadOperation, RequestLimits>>
    /**
     * File to which the extension appends a line of JSON each second, e.g. `/dev/fd/3`. If it is set, the run ends when
     * the parent process of k6 exits.
     */
    readonly progressPath?: string
    /**
     * File to which the extension appends a line of JSON for each stream, with the time of each event. For calibration
     * only, because it costs CPU time.
     */
    readonly eventsPath?: string
    /**
     * Prefix of the ID that each request carries in `x-client-request-id`. Needs `eventsPath`; failed requests then have
     * lines, too.
     */
    readonly requestIds?: string
    /**
     * Passes each gap to k6 as a separate sample, for k6's own outputs. Implied by a threshold on `gap`. Default:
     * false, because k6 stores every sample, which costs a fifth more CPU time. The histograms of `result` always
     * contain all gaps.
     */
    readonly gapTrend?: boolean
    /** Upper bounds of latencies whose samples are counted in `progressPath`. An empty operation stands for all. */
    readonly budgets?: readonly { readonly operation: string; readonly metric: string; readonly limitMs: number }[]
    /**
     * Spend limit of the run, in units of 0.0001 credit. A request that could exceed the limit together with the
     * requests in flight is not sent. The extension reads the responses in flight to their end, then ends the run like
     * `test.abort` (exit code 108).
     */
    readonly maxUnits?: number
    /**
     * Unix time at which the plan starts, for several processes with a common start. Default: the first call of `next`.
     */
    readonly startAtUnixMs?: number
    /**
     * Number of VUs that k6 starts at once, over all segments. Their first requests wait until all of them are running.
     * Default: no wait.
     */
    readonly vus?: number
  }

  export interface RequestLimits {
    readonly ttftMs?: number
    readonly gapMs?: number
    readonly tpotMs?: number
    readonly e2eMs?: number
  }

  /**
   * Planned start times in ascending order, in milliseconds since the start of the plan. A trace also has the sizes of
   * each request.
   */
  export interface Arrivals {
    readonly atMs: readonly number[]
    readonly promptTokens?: readonly number[]
    readonly outputTokens?: readonly number[]
  }

  /**
   * Returns the plan of this process, which all VUs share. `build` is called only once. Segment i of k has the arrivals
   * whose index modulo k is i.
   */
  export function plan(build: () => Arrivals): Plan

  /**
   * Waits until all VUs are running (`vus`), for a script without a plan. VUs return one after another, 1 ms apart.
   * Only the first call of a VU waits.
   */
  export function ready(): void

  export interface Plan {
    /**
     * Waits until the next arrival is due, and returns it. Returns null after the last arrival, or when the run ends.
     */
    next(): Turn | null
    /**
     * Number of arrivals of the whole plan, not only of this segment, because k6 divides iterations among segments
     * itself.
     */
    readonly count: number
  }

  export interface Turn {
    /** Index in the whole plan. */
    readonly index: number
    readonly startLagMs: number
    readonly promptTokens: number | null
    readonly outputTokens: number | null
  }

  /** Loads a file once per process; all VUs share it. */
  export function file(path: string): FileHandle

  export interface FileHandle {
    readonly bytes: number
  }

  /** Sends one request without retries, and reads its response to the end. Does not throw if the target misbehaves. */
  export function send(request: LoadRequest): Outcome

  export interface LoadRequest {
    readonly operation: LoadOperation
    readonly method: 'GET' | 'POST'
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | Multipart
    /** Model ID under which tokens and charges are counted. */
    readonly model?: string
    readonly stream?: StreamReading
    /**
     * Maximum cost of the request, counted against `maxUnits` until the response's `usage` replaces it. Default: no
     * cost.
     */
    readonly cost?: { readonly unitsPerToken: number; readonly maxTokens: number }
    /** The planned arrival of this request. The extension calculates the start lag from it. */
    readonly turn?: Turn
    /** Statuses that do not count as failures. Default: 200 to 299. */
    readonly expectedStatuses?: readonly number[]
    /** Timeout of the whole request. Default: 60,000. */
    readonly timeoutMs?: number
    /** Maximum length of the response body; a longer response counts as failed. Default: 64 MiB. */
    readonly maxBytes?: number
    /** Additional tags for k6's metrics. */
    readonly tags?: Readonly<Record<string, string>>
    /**
     * Text that must occur in the response to this request, and in no other response. Detects responses that are mixed
     * up.
     */
    readonly nonce?: string
  }

  export interface Multipart {
    readonly fields: Readonly<Record<string, string>>
    readonly file: { readonly field: string; readonly handle: FileHandle; readonly name: string; readonly type: string }
  }

  export interface StreamReading {
    /**
     * Path to the text within an event. Default: `choices.0.delta.content`. `.` means that the event consists only of
     * the text, plain or as a JSON string.
     */
    readonly contentPath?: string
    /** Aborts the stream after this number of content events. */
    readonly abortAfterEvents?: number
    /**
     * Whether the target sends each token as a separate event. The number of events with text must then equal the
     * completion tokens of `usage`.
     */
    readonly tokenPerEvent?: boolean
    /** Returns all events to the script, which is slow. */
    readonly keepEvents?: boolean
  }

  export interface Outcome {
    /** HTTP status; 0 if no response arrived. */
    readonly status: number
    /** Whether the status was expected and the response is complete. */
    readonly isOk: boolean
    /** Error name: `timeout`, `refused`, `reset`, `too-large`, `cut`, …, or null for a complete response. */
    readonly error: string | null
    /** Response header fields with lower-case names. */
    readonly headers: Readonly<Record<string, string>>
    /**
     * The first 64 KiB of a text body, if the response is not a stream or is an error response, or null for a binary
     * body.
     */
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
    /** All events of the stream; only with `keepEvents`. */
    readonly kept?: readonly { readonly atMs: number; readonly data: string }[]
  }

  /**
   * Returns the counts and histograms of this process as JSON (`ExtensionResult` in scenarios/lib/extension-result.ts).
   */
  export function result(): string
}
