import { hash } from 'node:crypto'

/**
 * Source of random values for one response. The values depend on the emulator's seed, the request and the number of
 * earlier identical requests of the account, but not on concurrent requests.
 */
export interface SeededRandom {
  /** Returns the next uniformly distributed number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** Returns the next integer from 0 to `below` - 1. */
  integerBelow(below: number): number
  /** Returns the next number of a log-normal distribution with the given median and 99th percentile. */
  logNormal(p50: number, p99: number): number
  hexDigits(digits: number): string
}

/** The 0.99 quantile of the standard normal distribution. */
const Z99 = 2.3263478740408408

/**
 * Creates the source of random values for one response.
 * @param sequence number of earlier identical requests of the account
 */
export function createSeededRandom(seed: number, fingerprint: string, sequence: number): SeededRandom {
  // Returns the digest as a binary string, because creating a buffer takes twice as long as computing the digest.
  return new Sfc32(hash('sha256', `${seed}\n${sequence}\n${fingerprint}`, 'binary'))
}

/**
 * Random number generator sfc32 (Small Fast Counter) by Chris Doty-Humphrey, from PractRand, with 128 bits of state.
 */
class Sfc32 implements SeededRandom {
  #a: number
  #b: number
  #c: number
  #counter: number

  constructor(digest: string) {
    this.#a = readWord(digest, 0)
    this.#b = readWord(digest, 4)
    this.#c = readWord(digest, 8)
    this.#counter = readWord(digest, 12)
  }

  next(): number {
    return this.#next() / 2 ** 32
  }

  integerBelow(below: number): number {
    return Math.floor(this.next() * below)
  }

  logNormal(p50: number, p99: number): number {
    const sigma = Math.log(p99 / p50) / Z99
    return p50 * Math.exp(sigma * standardNormal(this.next(), this.next()))
  }

  hexDigits(digits: number): string {
    let hex = ''
    while (hex.length < digits) hex += formatHex(this.#next())
    return hex.slice(0, digits)
  }

  /** Returns the next 32 random bits as an unsigned integer. */
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

/**
 * Samples the standard normal distribution (Box and Muller, "A note on the generation of random normal deviates",
 * 1958).
 */
function standardNormal(u: number, v: number): number {
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v)
}

/** Reads four bytes of a digest as a little-endian integer. */
function readWord(digest: string, at: number): number {
  const byte = (offset: number) => digest.charCodeAt(at + offset) << (8 * offset)
  return byte(0) | byte(1) | byte(2) | byte(3)
}

const HEX_OF_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Formats a 32-bit word as eight hexadecimal digits. `toString(16)` is many times slower for values from 2³¹ on. */
function formatHex(word: number): string {
  const byte = (shift: number) => HEX_OF_BYTES[(word >>> shift) & 255] ?? ''
  return byte(24) + byte(16) + byte(8) + byte(0)
}

/** Returns the next random number from 0 (inclusive) to 1 (exclusive). */
export type RandomFunction = () => number

/**
 * Creates the generator mulberry32, which produces the same numbers on every machine. A seed of bytes is hashed to 32
 * bits with FNV-1a.
 */
export function createMulberry32(seed: Uint8Array | number): RandomFunction {
  let state = typeof seed === 'number' ? seed >>> 0 : hashFnv1a(seed)
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Computes the 32-bit FNV-1a hash. */
export function hashFnv1a(bytes: Uint8Array): number {
  let folded = 0x811c9dc5
  for (const byte of bytes) {
    folded = Math.imul(folded ^ byte, 0x01000193) >>> 0
  }
  return folded
}
