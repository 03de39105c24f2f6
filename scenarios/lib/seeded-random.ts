/**
 * Returns a pseudo-random number in [0, 1) with 53 bits. It depends only on the seed, the purpose and the index, and
 * not on earlier calls, so that every process gets the same number.
 */
export function createSeededRandom(seed: number, purpose: string, index: number): number {
  let state = mix(0x9e3779b9 ^ (seed | 0))
  state = mix(state ^ Math.trunc(seed / 0x1_0000_0000))
  for (let at = 0; at < purpose.length; at += 1) state = mix(state ^ purpose.charCodeAt(at))
  state = mix(state ^ (index | 0))
  const high = mix(state ^ Math.trunc(index / 0x1_0000_0000))
  const low = mix(high ^ 0x85ebca6b)
  return ((high >>> 5) * 0x400_0000 + (low >>> 6)) / 0x20_0000_0000_0000
}

/** Spreads each bit over all 32 bits. Otherwise, adjacent indexes would give similar numbers. */
function mix(value: number): number {
  let x = Math.imul(value + 0x6d2b79f5, 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 16), 0x297a2d39)
  x = Math.imul(x ^ (x >>> 15), 0x7feb352d)
  return x ^ (x >>> 16)
}
