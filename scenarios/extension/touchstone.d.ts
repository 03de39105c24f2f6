/**
 * What scenarios get from the extension. Times are taken in Go, on the monotonic clock, where bytes are read; they are
 * milliseconds with fractions. Metrics: time to first token (ttft), gap between content events (gap), time per output token
 * after the first (tpot), request start to last byte (e2e), actual less planned start (start lag). All but start lag are
 * taken of answers with a status of 2xx; ttft and gap also of streams that the script left.
 *
 * In k6 they are the trends `ttft`, `gap`, `tpot`, `e2e` and `start_lag`, each with a counter by its side (`ttft_count`, …),
 * and the counters `tokens` (completion), `stream_events` and `good`, with k6's tags of the request and `operation`.
 */
declare module 'k6/x/touchstone' {
  /** The operation that figures are kept under. */
  export type LoadOperation = 'models' | 'chat' | 'chat-stream' | 'images' | 'transcriptions' | 'speech'

  /** Set once per process; the first call counts, later ones with other settings throw. */
  export function setUp(settings: ExtensionSettings): void

  export interface ExtensionSettings {
    /** Limits that one request has to keep to count as good, per operation; `gapMs` holds for each gap. */
    readonly limits?: Partial<Record<LoadOperation, RequestLimits>>
    /**
     * Where a line of JSON is written each second while the run goes on, e.g. `/dev/fd/3`. The run ends when the process that started
     * k6 is gone.
     */
    readonly progressPath?: string
    /** Where a line of JSON is written for each stream, with the time of each event: for calibration, not for load. */
    readonly eventsPath?: string
    /**
     * Hands k6 each gap by itself, for its own outputs; so does a threshold on `gap`. Default: false, as k6 keeps every value and
     * takes a fifth more time for them. The histograms of `result` have all gaps anyway.
     */
    readonly gapTrend?: boolean
    /**
     * What the run may cost, in units of 0.0001 credit. The request that might go beyond it, with all that may still be charged for
     * those under way, is not sent: these are read to their ends, and the run is ended as `test.abort` does (code 108).
     */
    readonly maxUnits?: number
    /** Unix time of the plan's zero, so that several processes share it; default: the first call of `next`. */
    readonly startAtUnixMs?: number
  }

  export interface RequestLimits {
    readonly ttftMs?: number
    readonly gapMs?: number
    readonly tpotMs?: number
    readonly e2eMs?: number
  }

  /** Planned arrivals, ascending, in milliseconds from the plan's zero; with a trace also what each one asks for. */
  export interface Arrivals {
    readonly atMs: readonly number[]
    readonly promptTokens?: readonly number[]
    readonly outputTokens?: readonly number[]
  }

  /** The plan of this process: `build` is called once, whatever the number of VUs. Of k segments, the i-th has arrivals i mod k. */
  export function plan(build: () => Arrivals): Plan

  export interface Plan {
    /** Waits until the next arrival is due and takes it; null when none is left, or when the run ends. */
    next(): Turn | null
    /** All arrivals of the whole plan: k6 divides a number of iterations among segments by itself. */
    readonly count: number
  }

  export interface Turn {
    /** Position in the whole plan. */
    readonly index: number
    readonly startLagMs: number
    readonly promptTokens: number | null
    readonly outputTokens: number | null
  }

  /** A file that is held once per process, whatever the number of VUs. */
  export function file(path: string): FileHandle

  export interface FileHandle {
    readonly bytes: number
  }

  /** Sends one request, once, and reads its answer to the end. Never throws for what a target does. */
  export function send(request: LoadRequest): Outcome

  export interface LoadRequest {
    readonly operation: LoadOperation
    readonly method: 'GET' | 'POST'
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | Multipart
    /** Tokens and charges are counted under it. */
    readonly model?: string
    readonly stream?: StreamReading
    /** What it may cost at most, for `maxUnits`; default: nothing. Counted is what `usage` says, and without it the most. */
    readonly cost?: { readonly unitsPerToken: number; readonly maxTokens: number }
    /** The turn that this request answers: its start lag is recorded with the request. */
    readonly turn?: Turn
    /** Statuses that are no failure; default: 200 to 299. */
    readonly expectedStatuses?: readonly number[]
    /** Default: 60,000. */
    readonly timeoutMs?: number
    /** Default: 64 MiB; more is a failure. */
    readonly maxBytes?: number
    /** Further tags of k6's metrics. */
    readonly tags?: Readonly<Record<string, string>>
    /** Text that has to stand in the answer's own content and in no other's; for finding cross-talk. */
    readonly nonce?: string
  }

  export interface Multipart {
    readonly fields: Readonly<Record<string, string>>
    readonly file: { readonly field: string; readonly handle: FileHandle; readonly name: string; readonly type: string }
  }

  export interface StreamReading {
    /** Where the text of an event is; default `choices.0.delta.content`; `.` where an event is nothing else, bare or as a JSON string. */
    readonly contentPath?: string
    /** Leaves after this many content events. */
    readonly abortAfterEvents?: number
    /** The target sends each token as an event of its own: then `usage` has to count as many tokens as events with text. */
    readonly tokenPerEvent?: boolean
    /** Hands all events to the script; slow. */
    readonly keepEvents?: boolean
  }

  export interface Outcome {
    /** 0 when no status line came. */
    readonly status: number
    /** An expected status, and the whole answer read. */
    readonly isOk: boolean
    /** `timeout`, `refused`, `reset`, `too-large`, `cut`, … ; null where an answer came whole. */
    readonly error: string | null
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** Text of an answer that is not streamed, and of errors, as far as the first 64 KiB; null for binary ones. */
    readonly body: string | null
    readonly bytes: number
    readonly ttftMs: number | null
    readonly e2eMs: number
    readonly events: number
    readonly contentEvents: number
    readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null
    readonly finishReason: string | null
    /** What the stream oracle found, one sentence each. */
    readonly violations: readonly string[]
    /** With `keepEvents`. */
    readonly kept?: readonly { readonly atMs: number; readonly data: string }[]
  }

  /** Everything that was counted in this process, as JSON (`ExtensionResult` in scenarios/lib/extension-result.ts). */
  export function result(): string
}
