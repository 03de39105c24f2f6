/*
 * Encoder for frames of MPEG-2 audio, layer III (ISO/IEC 13818-3 with 11172-3): mono, 24 kHz, 16 kbit/s. Each frame is
 * exactly 48 bytes and 24 ms long, and has one granule of 576 spectral lines. The encoder does not use the bit
 * reservoir, so every frame can be decoded alone and any sequence of frames is a valid file.
 */

export const MP3_FRAME_MS = 24

/** Frequency difference between adjacent spectral lines. Line k has the frequency (k + 1/2) × SPECTRAL_LINE_HZ. */
export const SPECTRAL_LINE_HZ = 24_000 / 2 / 576

const FRAME_BYTES = 48
const SIDE_INFO_END_BITS = 8 * (4 + 9)

/** Audible spectral lines of one frame. */
export interface FrameSpectrum {
  /** Indices of the audible lines, from 0 to 575, in ascending order. */
  readonly lines: readonly number[]
  /** Level of all audible lines, in steps of 1.5 dB. 210 is full scale; 255 is the maximum. */
  readonly gain: number
  /** Index of the frame in its file. It determines the phase of each line. */
  readonly index: number
}

/**
 * Encodes one frame of 48 bytes.
 * @throws RangeError if the lines do not fit into the frame
 */
export function encodeMp3Frame({ lines, gain, index }: FrameSpectrum): Buffer {
  const frame = Buffer.alloc(FRAME_BYTES)
  const body = new BitWriter(frame.subarray(SIDE_INFO_END_BITS / 8))
  const pairs = ((lines.at(-1) ?? -1) >> 1) + 1
  for (let pair = 0; pair < pairs; pair += 1) {
    writePair(body, computeSign(2 * pair, lines, index), computeSign(2 * pair + 1, lines, index))
  }
  writeHeader(new BitWriter(frame), { pairs, bodyBits: body.position, gain })
  return frame
}

type Sign = -1 | 0 | 1

/**
 * Computes the sign of a line in frame `index`. A steady tone in the middle of line k advances by (k + 1/2) half turns
 * per frame. The signs follow its cosine, so frames join without a click.
 */
function computeSign(line: number, lines: readonly number[], index: number): Sign {
  if (!lines.includes(line)) {
    return 0
  }
  return Math.cos(Math.PI * (0.25 + (line + 0.5) * (index % 4))) > 0 ? 1 : -1
}

/** Encodes the values of two lines with Huffman table 1, and a sign bit for each value that is not 0. */
function writePair(bits: BitWriter, first: Sign, second: Sign): void {
  if (first === 0) {
    bits.write(1, second === 0 ? 1 : 3)
  } else {
    bits.write(second === 0 ? 1 : 0, second === 0 ? 2 : 3)
  }
  for (const sign of [first, second]) {
    if (sign !== 0) {
      bits.write(sign < 0 ? 1 : 0, 1)
    }
  }
}

function writeHeader(bits: BitWriter, sound: { pairs: number; bodyBits: number; gain: number }): void {
  bits.write(0x7ff, 11) // Frame sync.
  bits.write(0b10, 2) // MPEG-2.
  bits.write(0b01, 2) // Layer III.
  bits.write(1, 1) // No checksum.
  bits.write(2, 4) // 16 kbit/s.
  bits.write(1, 2) // 24 kHz.
  bits.write(0, 2) // No padding; private bit.
  bits.write(0b11, 2) // Mono.
  bits.write(0, 6) // No mode extension, copyright, original or emphasis.

  bits.write(0, 9) // Main data starts directly after the side information; private bit.
  bits.write(sound.bodyBits, 12)
  bits.write(sound.pairs, 9)
  bits.write(sound.gain, 8)
  bits.write(0, 9) // Scale factors have 0 bits: all bands have the same level.
  bits.write(0, 1) // Normal window.
  bits.write(0b00001_00001_00001, 15) // Huffman table 1 in all three regions.
  bits.write(7, 4) // 8 bands in the first region.
  bits.write(7, 3) // 8 bands in the second region; the third contains all others.
  bits.write(0, 2) // Scale factor scale; no quadruples follow the pairs.
}

/** Writes integers of given bit widths into bytes, most significant bit first. */
export class BitWriter {
  readonly #bytes: Uint8Array
  #position = 0

  /**
   * Creates a writer that starts at the first bit.
   * @param bytes output buffer, filled with zeros
   */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Number of bits written. */
  get position(): number {
    return this.#position
  }

  /**
   * Appends the lowest `bits` bits of `value`.
   * @throws RangeError if the output buffer is full
   */
  write(value: number, bits: number): void {
    if (this.#position + bits > 8 * this.#bytes.length) {
      throw new RangeError(`${bits} bits do not fit after ${this.#position} in ${this.#bytes.length} bytes`)
    }
    for (let bit = bits - 1; bit >= 0; bit -= 1, this.#position += 1) {
      const at = this.#position >> 3
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (((value >> bit) & 1) << (7 - (this.#position & 7)))
    }
  }
}
