import type { LoadSettings } from './load-settings.ts'
import type { LoadOperation } from './load-operation.ts'

/** What a k6 process with the extension says at its end. `merge` of several is exact: only counts, sums and histograms. */
export interface ExtensionResult {
  readonly startedAtUnixMs: number
  readonly endedAtUnixMs: number
  /** Which part of the plan this process had: arrivals `index` modulo `count`. */
  readonly segment: { readonly index: number; readonly count: number }
  /** Arrivals of this segment, those due before the run was ended, and those taken. Null for a closed loop. */
  readonly plan: { readonly planned: number; readonly due: number; readonly taken: number } | null
  readonly operations: Readonly<Partial<Record<LoadOperation, OperationResult>>>
  readonly series: readonly SeriesResult[]
  readonly oracle: { readonly streams: number; readonly violations: readonly ViolationResult[] }
  /** Why the run was ended by what it may cost; absent where it was not. Units are 0.0001 credit. */
  readonly outOfCredits?: OutOfCredits
  /** What the script itself claims of the answers. One that was never put to the test has 0 and 0. */
  readonly checks?: readonly CheckResult[]
  /** What the script was, for those who find this file and nothing else. */
  readonly run?: { readonly scenario: string; readonly settings: LoadSettings }
}

/** The sum of the last three is above the limit: what had been counted, what requests under way might cost, and the next one. */
export interface OutOfCredits {
  readonly limitUnits: number
  readonly countedUnits: number
  readonly underWayUnits: number
  readonly nextUnits: number
}

/** A claim of a script, as a sentence that holds where it passes: `fails` of 1 or more contradict it. */
export interface CheckResult {
  readonly name: string
  readonly passes: number
  readonly fails: number
}

export interface OperationResult {
  readonly sent: number
  readonly ok: number
  readonly failed: number
  /** Left by the script's own wish; neither ok nor failed. */
  readonly aborted: number
  /** Kept all limits that were set. */
  readonly good: number
  readonly byStatus: Readonly<Record<string, number>>
  /** By the name of the error; none for those that are known by their status. */
  readonly byError: Readonly<Record<string, number>>
  /** With 4 digits. Present where there is at least one sample. */
  readonly histograms: Readonly<
    Partial<Record<'ttftMs' | 'gapMs' | 'tpotMs' | 'e2eMs' | 'startLagMs', HistogramResult>>
  >
  /** From `usage`; where a stream reports none, completion tokens are its content events, and `estimated` counts it. */
  readonly tokens: Readonly<Record<string, TokensResult>>
  /** Streams that were answered whole without a token in sight: their token timing is not measurable. */
  readonly withoutContent: number
}

/** Samples of one process: exact sum and ends, and a histogram. */
export interface HistogramResult {
  readonly n: number
  readonly sumMs: number
  readonly minMs: number
  readonly maxMs: number
  /** HDR V2, compressed, microseconds, base64. */
  readonly encoded: string
}

export interface TokensResult {
  readonly answers: number
  readonly prompt: number
  readonly completion: number
  readonly estimated: number
}

/** One second of the run. */
export interface SeriesResult {
  readonly atS: number
  /** Requests that began, that ended well, and that failed in this second. */
  readonly requests: number
  readonly ok: number
  readonly failed: number
  /** Requests under way at its end. */
  readonly inFlight: number
  /** Times to first token of those that ended: HDR, 2 digits, so that seconds of several processes can be merged. */
  readonly ttft: string | null
}

export interface ViolationResult {
  readonly kind: string
  readonly count: number
  readonly example: string
}

/** A line of the file at `progressPath`, once a second: sums since the start, but for what says otherwise. */
export interface ProgressResult {
  readonly atS: number
  readonly sent: number
  readonly ok: number
  readonly failed: number
  /** Requests under way now. */
  readonly inFlight: number
  /** Requests that ended in the last second. */
  readonly ratePerS: number
  readonly ttftP50Ms: number | null
  readonly ttftP99Ms: number | null
  /** Tokens by model, as in `OperationResult`, all operations together. */
  readonly tokens: Readonly<Record<string, TokensResult>>
}

/** A line of the file at `eventsPath`, for each request that was answered with status 200: what is joined with a server's own record. */
export interface EventsResult {
  readonly operation: LoadOperation
  /** The answer's header `x-request-id`; null where it has none. */
  readonly requestId: string | null
  /** When each event of the stream, whatever its data, had been read: from the start of the request. Empty where the answer was no stream. */
  readonly atMs: readonly number[]
  /** Positions in `atMs` of the events with content. */
  readonly content: readonly number[]
  readonly e2eMs: number
  /** SHA-256 of the body's bytes as they came, hex; null where the body was not read to its end. */
  readonly bodySha256: string | null
}
