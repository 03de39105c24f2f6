import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MAX_GARBAGE_BYTES, MAX_UNRESERVED_BYTES, MAX_YOUNG_GARBAGE_BYTES } from './memory-limits.ts'

/*
 * Collects garbage after large responses. V8 alone would let it grow to several hundred MB, because V8 expects that a
 * program uses all of its heap, and does not know the size of resizable buffers.
 */

let youngBytes = 0
let bytesSinceMajor = 0

/** Counts received bytes. Collects garbage after many of them. */
export function countGarbage(bytes: number): void {
  youngBytes += bytes
  bytesSinceMajor += bytes
  if (bytesSinceMajor >= MAX_GARBAGE_BYTES) collect('major')
  else if (youngBytes >= MAX_YOUNG_GARBAGE_BYTES) collect('minor')
}

/** Collects the garbage of large responses, if there were any, before the run needs memory for its document. */
export function collectRemainingGarbage(): void {
  if (bytesSinceMajor > MAX_UNRESERVED_BYTES) collect('major')
}

function collect(type: 'major' | 'minor'): void {
  youngBytes = 0
  if (type === 'major') bytesSinceMajor = 0
  setFlagsFromString('--expose-gc')
  // Another thread may reset the flag, which concerns the whole process, so that there is no `gc`.
  const gc: unknown = runInNewContext('globalThis.gc')
  // Restores the flag, because V8 accepts compiled code only from a process with the same flags.
  setFlagsFromString('--no-expose-gc')
  if (typeof gc === 'function') gc({ type })
}
