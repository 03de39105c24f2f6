/*
 * Limits that bound the memory of a run for any target. Together they keep the process of `conformance`
 * below 300 MB. A response that reaches a limit has an error of the kind `too-large`, which is never evidence against
 * the target.
 */

const KIB = 1024
const MIB = 1024 * KIB

/** Maximum size of a body, compressed and decompressed. It exceeds every valid response to a request of the suite. */
export const MAX_BODY_BYTES = 8 * MIB
/** Maximum size of a header section: four times the limit of common servers. */
export const MAX_HEADER_BYTES = 64 * KIB
/** Size up to which the suite reads a body without reserving memory. Most valid responses are smaller. */
export const MAX_UNRESERVED_BYTES = 256 * KIB
/** Memory for the larger responses that running checks hold: three of the maximum size. Usual runs hold one or two. */
export const MAX_RESERVED_BYTES = 3 * MAX_BODY_BYTES

/** Number of received bytes after which the run collects the garbage of its reads, and all garbage. */
export const MAX_YOUNG_GARBAGE_BYTES = 4 * MIB
export const MAX_GARBAGE_BYTES = 16 * MIB

/** Number of pieces of a body whose arrival times the suite records. Later bytes count to the last piece. */
export const MAX_TIMED_PIECES = 5000
/** Maximum number of events of a stream, more than any specified response contains. */
export const MAX_EVENTS = 20_000
/** Maximum size of one event of a stream, including its field names. */
export const MAX_EVENT_BYTES = MIB
/** Maximum number of values and members in JSON. A list of 5,000 models with 20 members each has this number. */
export const MAX_JSON_VALUES = 100_000
/** Number of bytes of a JSON string that the suite reads. It exceeds every text that a check compares. */
export const MAX_JSON_STRING_BYTES = 256 * KIB
/** Maximum nesting depth of JSON, so that recursive functions cannot exhaust the stack. */
export const MAX_JSON_DEPTH = 100
/** Maximum window of a decompressor: 8 MiB, which RFC 8878 (section 3.1.1.1.2) recommends. */
export const MAX_WINDOW_LOG = 23

/** Memory for the bodies whose parsed form stays in the memory. */
export const MAX_PARSED_BYTES = 2 * MIB

/** Memory for the responses that the run keeps for the checks of all responses, and shares among checks. */
export const MAX_KEPT_BYTES = 16 * MIB
/** Size up to which the run keeps each response, regardless of the others. 500 such responses need 4 MB. */
export const MAX_SMALL_BYTES = 8 * KIB

/** Parts of an exchange that a document contains. */
export interface EvidenceLimits {
  /** Number of bytes at the start and at the end of a body. */
  readonly headBytes: number
  readonly tailBytes: number
  /** Number of characters of all events of a stream together, with 40 characters for each event. */
  readonly eventCharacters: number
  /** Number of characters of all header fields together. */
  readonly headerCharacters: number
}

/** Usual limits: a body of up to 32 KiB is complete. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  headBytes: 24 * KIB,
  tailBytes: 8 * KIB,
  eventCharacters: 20 * KIB,
  headerCharacters: 16 * KIB,
}
/** Limits for a response that the run does not keep completely. 500 such responses need 5 MB. */
export const EXCERPT_LIMITS: EvidenceLimits = {
  headBytes: 4 * KIB,
  tailBytes: KIB,
  eventCharacters: 2 * KIB,
  headerCharacters: 2 * KIB,
}
/** Limits after the evidence of a run exceeds `MAX_EVIDENCE_CHARACTERS`. */
export const SHORT_EVIDENCE_LIMITS: EvidenceLimits = {
  headBytes: 1024,
  tailBytes: 256,
  eventCharacters: 1024,
  headerCharacters: 1024,
}
/** Size of the evidence of a run, five times that of a usual run, so that its document fits in the memory. */
export const MAX_EVIDENCE_CHARACTERS = 8 * MIB
