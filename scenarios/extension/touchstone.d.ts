/**
 * API of the k6 extension for scenarios. A latency starts immediately before the first bytes of the request are written
 * to the socket. It ends when the kernel receives the bytes that complete an event, or when k6 reads them if the kernel
 * does not report receive times. Opening the connection does not count. Times are milliseconds with fractions. Metrics:
 * - time to first token of any channel: text, reasoning, a refusal or a tool call (ttft)
 * - time to first text (text_ttft)
 * - inter-token latency: time between events with a token (itl)
 * - time per output token: time from the first to the last event with a token, divided by the number of tokens that
 *   `usage` reports for this interval (tpot)
 * - time from the start of the request to the last byte (e2e)
 * - scheduling delay: actual minus planned start (start lag)
 *
 * Except for the start lag, these metrics include only complete responses with a 2xx status. ttft, text_ttft and itl also
 * include streams that the script or the end of the run aborted.
 *
 * k6 has the trends `ttft`, `text_ttft`, `itl`, `tpot`, `e2e` and `start_lag`, each with a counter (`ttft_count`, …). Further
 * counters are `tokens` (completion tokens), `stream_events` and `good`. All have k6's request tags and the tag
 * `operation`.
 */
declare module 'k6/x/touchstone' {
  /** Operations that have separate metrics. */
  // oxlint-disable-next-line typescript/consistent-type-imports -- An ambient module cannot import a relative path.
  export type TimedOperation = import('../../contract/facts.ts').TimedOperation

  /** Configures the extension for this process. Throws if an earlier call had different settings. */
  export function setUp(settings: ExtensionSettings): void

  export interface ExtensionSettings {
    /** Latency limits of a request that counts as good, keyed by operation. `itlMs` applies to each of a stream. */
    readonly limits?: Partial<Record<TimedOperation, RequestLimits>>
    /** File to which the extension writes a line of JSON each second. `stdout` means the standard output. */
    readonly progressPath?: string
    /** Ends the run when standard input ends, as it does when the process that holds the pipe is killed. */
    readonly endsWithStdin?: boolean
    /**
     * File to which the extension writes a line of JSON for each response with status 200, with the times of its
     * events. Intended for calibration, because it costs CPU time.
     */
    readonly eventsPath?: string
    /**
     * Prefix of the ID that each request sends in `x-client-request-id`. Has no effect without `eventsPath`, which then
     * contains a line for every request.
     */
    readonly requestIds?: string
    /**
     * Latency limits. For each, `progressPath` receives the number of samples above the limit. An empty operation means
     * all operations.
     */
    readonly budgets?: readonly { readonly operation: string; readonly metric: string; readonly limitMs: number }[]
    /**
     * Spend limit of the run, in units of 0.0001 credit. The run ends before a request that could exceed the limit
     * together with the requests in flight. The extension does not send this request, waits for the responses in
     * flight, and ends the run like `test.abort` (exit code 108).
     */
    readonly maxUnits?: number
    /**
     * Unix time in milliseconds at which the plan starts, so that several processes can start together. Default:
     * shortly after the first call of `next`, when all VUs (`vus`) are running.
     */
    readonly startAtUnixMs?: number
    /**
     * Number of VUs that k6 starts immediately, over all segments. Their first requests wait until all these VUs are
     * running. Default: no wait.
     */
    readonly vus?: number
    /**
     * Duration of the warm-up in milliseconds. The measurement starts at its end, and excludes requests with `isWarmUp`. Default: 0.
     */
    readonly warmUpMs?: number
  }

  export interface RequestLimits {
    readonly ttftMs?: number
    readonly textTtftMs?: number
    readonly itlMs?: number
    readonly tpotMs?: number
    readonly e2eMs?: number
  }

  /**
   * Planned start times in ascending order, in milliseconds since the start of the plan. A trace also has the token
   * counts of each request.
   */
  export interface Arrivals {
    readonly atMs: readonly number[]
    readonly promptTokens?: readonly number[]
    readonly outputTokens?: readonly number[]
  }

  /**
   * Returns the plan of this process, which all VUs share. Calls `build` only once. Segment i of k has the arrivals
   * whose index modulo k is i.
   */
  export function plan(build: () => Arrivals): Plan

  /**
   * Waits until all VUs (`vus`) are running, for a script without a plan. The calls return one after another, 1 ms
   * apart. Only the first call of a VU waits.
   */
  export function ready(): void

  /**
   * Returns the number of the next warm-up request, from 0, for a script without a plan. Returns null after the warm-up,
   * which starts with the first call in the process.
   */
  export function warmUp(): number | null

  export interface Plan {
    /**
     * Waits until the next arrival is due, and returns it. Returns null after the last arrival, or at the end of the
     * run.
     */
    next(): Turn | null
    /**
     * Number of arrivals in the whole plan. It is not limited to this segment, because k6 divides iterations among
     * segments.
     */
    readonly count: number
  }

  export interface Turn {
    /**
     * Index of the arrival in the whole plan. The arrivals after the warm-up begin at 0, and those of the warm-up follow
     * the last one.
     */
    readonly index: number
    /** Whether the arrival is before the end of the warm-up (`warmUpMs`). */
    readonly isWarmUp: boolean
    readonly startLagMs: number
    readonly promptTokens: number | null
    readonly outputTokens: number | null
  }

  /** Loads a file once per process. All VUs share its content. Call it only in the init context. */
  export function file(path: string): FileHandle

  export interface FileHandle {
    readonly bytes: number
  }

  /**
   * Sends one request without retries, and reads the whole response. Returns failures of the target as a result, and
   * never throws because of them.
   */
  export function send(request: LoadRequest): Outcome

  export interface LoadRequest {
    readonly operation: TimedOperation
    /** Whether the request belongs to the warm-up, and only counts in `warmUp` of the result. Default: false. */
    readonly isWarmUp?: boolean
    readonly method: 'GET' | 'POST'
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | Multipart
    /** ID of the model to which the extension attributes the token counts and the cost. */
    readonly model?: string
    readonly stream?: StreamReading
    /**
     * Maximum cost of the request. It counts towards `maxUnits` until the `usage` of the response replaces it. Default:
     * no cost.
     */
    readonly cost?: { readonly unitsPerToken: number; readonly maxTokens: number }
    /** The planned arrival of this request, from which the extension calculates the start lag (scheduling delay). */
    readonly turn?: Turn
    /** Statuses that count as success. Default: 200 to 299. */
    readonly expectedStatuses?: readonly number[]
    /** Timeout of the whole request in milliseconds. Default: 60,000. */
    readonly timeoutMs?: number
    /** Maximum length of the response body. A longer response counts as failed. Default: 64 MiB. */
    readonly maxBytes?: number
  }

  export interface Multipart {
    readonly fields: Readonly<Record<string, string>>
    readonly file: { readonly field: string; readonly handle: FileHandle; readonly name: string; readonly type: string }
  }

  export interface StreamReading {
    /** Number of events with a token after which the extension aborts the stream. */
    readonly abortAfterEvents?: number
  }

  /**
   * Result of `send`. To return it from `setup()`, copy it with `JSON.parse(JSON.stringify(outcome))`: k6
   * passes the data of `setup()` on as JSON, and would convert an outcome to `{}`.
   */
  export interface Outcome {
    /** HTTP status; 0 if no response arrived. */
    readonly status: number
    /** Whether the status is expected, the response is complete, and a 2xx body has the shape of the operation. */
    readonly isOk: boolean
    /** Error name, such as `timeout`, `refused`, `reset`, `too-large` or `cut`, or null. */
    readonly error: string | null
    /** Response headers, keyed by lower-case name. */
    readonly headers: Readonly<Record<string, string>>
    /** First 64 KiB of a text body. Null for a binary body, for a stream, and if no response arrived. */
    readonly body: string | null
    readonly bytes: number
    readonly events: number
    /** Number of events with a token of any channel. */
    readonly tokenEvents: number
    readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null
    /** Violations in the stream, one sentence each. */
    readonly violations: readonly string[]
  }

  /**
   * Returns the counts and histograms of this process as JSON (`ExtensionResult` in scenarios/lib/extension-result.ts).
   */
  export function result(): string
}
