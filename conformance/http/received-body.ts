import { MAX_TIMED_PIECES, MAX_UNRESERVED_BYTES } from './memory-limits.ts'

/** Received bytes, with their arrival time in milliseconds since the start of the request. */
export interface TimedBytes {
  readonly bytes: Uint8Array
  readonly atMs: number
}

export interface TimedBody {
  readonly bytes: Buffer
  /** Offset of the end of each piece. */
  readonly ends: readonly number[]
  /** Arrival time of each piece, in milliseconds since the start of the request. */
  readonly timesMs: readonly number[]
}

/** Pieces that arrive within this time count as one, in milliseconds. Reports show times to 0.1 ms. */
const SAME_TIME_MS = 0.05

/** Unit in which the memory of a large body grows, in bytes. */
const GROWTH_BYTES = 256 * 1024

/** Collects a body in one buffer, because Node needs several hundred bytes for each chunk, even of one byte. */
export class ReceivedBody {
  readonly #maxBytes: number
  #buffer = Buffer.alloc(0)
  /** Memory of a large body, which grows without a copy, and which the system gets back, unlike that of `malloc`. */
  #large: ArrayBuffer | undefined
  #bytes = 0
  readonly #ends: number[] = []
  readonly #timesMs: number[] = []

  /** @param maxBytes maximum size of the body */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds bytes. The caller must not exceed the maximum size of the body. */
  append(bytes: Uint8Array, atMs: number): void {
    this.#makeRoom(this.#bytes + bytes.byteLength)
    this.#buffer.set(bytes, this.#bytes)
    this.#bytes += bytes.byteLength
    const last = this.#ends.length - 1
    const isSamePiece = last >= MAX_TIMED_PIECES - 1 || atMs - (this.#timesMs[last] ?? -Infinity) < SAME_TIME_MS
    if (!isSamePiece) this.#timesMs.push(atMs)
    this.#ends[isSamePiece ? last : last + 1] = this.#bytes
  }

  take(): TimedBody {
    const used = this.#buffer.subarray(0, this.#bytes)
    // A copy of a small body releases the unused part of the buffer.
    return { bytes: this.#large === undefined ? Buffer.from(used) : used, ends: this.#ends, timesMs: this.#timesMs }
  }

  #makeRoom(neededBytes: number): void {
    if (neededBytes <= this.#buffer.byteLength) return
    const received = this.#buffer.subarray(0, this.#bytes)
    if (neededBytes <= MAX_UNRESERVED_BYTES) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.min(2 * neededBytes, MAX_UNRESERVED_BYTES))
      this.#buffer.set(received)
      return
    }
    const isFirst = this.#large === undefined
    this.#large ??= new ArrayBuffer(0, { maxByteLength: this.#maxBytes })
    this.#large.resize(Math.min(Math.ceil(neededBytes / GROWTH_BYTES) * GROWTH_BYTES, this.#maxBytes))
    this.#buffer = Buffer.from(this.#large, 0, this.#large.byteLength)
    if (isFirst) this.#buffer.set(received)
  }
}

/** Returns the pieces of a body in the order of their arrival. */
export function* listPieces({ bytes, ends, timesMs }: TimedBody): Iterable<TimedBytes> {
  for (const [index, atMs] of timesMs.entries())
    yield { bytes: bytes.subarray(ends[index - 1] ?? 0, ends[index]), atMs }
}

export function joinPieces(pieces: readonly TimedBytes[]): TimedBody {
  const body = new ReceivedBody(pieces.reduce((sum, { bytes }) => sum + bytes.byteLength, 0))
  for (const { bytes, atMs } of pieces) body.append(bytes, atMs)
  return body.take()
}
