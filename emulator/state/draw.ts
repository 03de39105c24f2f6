import { hash } from 'node:crypto'

/**
 * A source of random numbers that depends on what was asked and never on when: the seed of the emulator, the fingerprint
 * of the request and its ordinal for that key. The same request gets the same draw whatever runs beside it.
 */
export interface Draw {
  /** The next number, evenly spread over 0 (included) to 1 (excluded). */
  uniform(): number
  /** The next whole number from 0 to `below` - 1. */
  below(below: number): number
  /** The next number of the log-normal distribution with this median and 99th percentile. */
  logNormal(p50: number, p99: number): number
  /** The next `digits` hexadecimal digits. */
  hex(digits: number): string
}

/** Standard normal quantile of 0.99. */
const Z99 = 2.3263478740408408

/** The draw of one answer. */
export function createDraw(seed: number, fingerprint: string, ordinal: number): Draw {
  const digest = hash('sha256', `${seed}\n${ordinal}\n${fingerprint}`, 'buffer')
  const next = sfc32(digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), digest.readUInt32LE(12))
  const uniform = () => next() / 2 ** 32
  return {
    uniform,
    below: (below) => Math.floor(uniform() * below),
    logNormal(p50, p99) {
      const sigma = Math.log(p99 / p50) / Z99
      return p50 * Math.exp(sigma * standardNormal(uniform(), uniform()))
    },
    hex(digits) {
      const words = Buffer.allocUnsafe(4 * Math.ceil(digits / 8))
      for (let at = 0; at < words.length; at += 4) words.writeUInt32BE(next(), at)
      return words.toString('hex').slice(0, digits)
    },
  }
}

/** Box and Muller, "A note on the generation of random normal deviates" (1958). */
function standardNormal(u: number, v: number): number {
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v)
}

/** Chris Doty-Humphrey's Small Fast Counter generator (PractRand), 32-bit words, 128 bits of state. */
function sfc32(a: number, b: number, c: number, counter: number): () => number {
  return () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}
