/** A source of numbers in [0, 1): the next one at each call. */
export type RandomFunction = () => number

/**
 * The draws of a seed (mulberry32): the same seed gives the same numbers on every machine.
 * Bytes are folded to 32 bits first (FNV-1a), so that a digest of a request can serve as a seed.
 */
export function mulberry32(seed: Uint8Array | number): RandomFunction {
  let state = typeof seed === 'number' ? seed >>> 0 : fnv1a(seed)
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** FNV-1a, 32 bits. */
export function fnv1a(bytes: Uint8Array): number {
  let folded = 0x811c9dc5
  for (const byte of bytes) {
    folded = Math.imul(folded ^ byte, 0x01000193) >>> 0
  }
  return folded
}
