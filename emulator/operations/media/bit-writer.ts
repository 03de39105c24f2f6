/** Writes numbers of given widths into bytes, highest bit first. */
export class BitWriter {
  readonly #bytes: Uint8Array
  #position = 0

  /** @param bytes zeros; bits are set in them from the first byte on */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** How many bits were written. */
  get position(): number {
    return this.#position
  }

  /** @throws RangeError when the bytes are full */
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
