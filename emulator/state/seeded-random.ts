import { hash } from 'node:crypto'

/**
 * A source of random numbers that depends on what was asked and never on when: the seed of the emulator, the fingerprint
 * of the request and its ordinal for that key. The same request gets the same draw whatever runs beside it.
 */
export interface SeededRandom {
  /** The next number, evenly spread over 0 (included) to 1 (excluded). */
  next(): number
  /** The next whole number from 0 to `below` - 1. */
  integerBelow(below: number): number
  /** The next number of the log-normal distribution with this median and 99th percentile. */
  logNormal(p50: number, p99: number): number
  /** The next `digits` hexadecimal digits. */
  hexDigits(digits: number): string
}

/** Standard normal quantile of 0.99. */
const Z99 = 2.3263478740408408

/** The draw of one answer. */
export function createSeededRandom(seed: number, fingerprint: string, ordinal: number): SeededRandom {
  // As a text of bytes, since a buffer costs twice as much as the digest that it would hold.
  return new Sfc32(hash('sha256', `${seed}\n${ordinal}\n${fingerprint}`, 'binary'))
}

/** Chris Doty-Humphrey's Small Fast Counter generator (PractRand), 32-bit words, 128 bits of state. */
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

  /** 32 bits, as a number from 0. */
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

/** Box and Muller, "A note on the generation of random normal deviates" (1958). */
function standardNormal(u: number, v: number): number {
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v)
}

/** Four bytes of a digest as a number, the lowest first. */
function readWord(digest: string, at: number): number {
  const byte = (offset: number) => digest.charCodeAt(at + offset) << (8 * offset)
  return byte(0) | byte(1) | byte(2) | byte(3)
}

const HEX_OF_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A word of 32 bits as eight digits: `toString(16)` takes many times as long for those of 2³¹ and more. */
function formatHex(word: number): string {
  const byte = (shift: number) => HEX_OF_BYTES[(word >>> shift) & 255] ?? ''
  return byte(24) + byte(16) + byte(8) + byte(0)
}

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
