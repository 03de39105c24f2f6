const ID3_HEADER_BYTES = 10
const ID3_FOOTER_FLAG = 0x10
const LAYER_3 = 0b01
const RESERVED_VERSION = 0b01

/**
 * What speaks against MP3 at the start of a file: neither an ID3v2 tag nor a frame header of layer III (ISO 11172-3,
 * 2.4.2.3). Padding of zero bytes after the tag is legal.
 */
export function mp3Problem(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'the body is empty'
  let offset = tagBytes(bytes)
  if (offset > 0) while (bytes[offset] === 0) offset += 1
  if (offset >= bytes.length) return 'nothing follows the ID3 tag'
  return isFrameHeader(bytes, offset) ? undefined : `no MP3 frame header at byte ${offset}`
}

/** The length of the ID3v2 tag at the start, header and footer included; 0 without one. Its size has 7 bits a byte. */
function tagBytes(bytes: Uint8Array): number {
  const [i, d, three] = bytes
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || bytes.length < ID3_HEADER_BYTES) return 0
  const size = bytes.subarray(6, ID3_HEADER_BYTES).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  const footer = ((bytes[5] ?? 0) & ID3_FOOTER_FLAG) === 0 ? 0 : ID3_HEADER_BYTES
  return ID3_HEADER_BYTES + size + footer
}

function isFrameHeader(bytes: Uint8Array, offset: number): boolean {
  const [first = 0, second = 0, third = 0] = bytes.subarray(offset, offset + 3)
  const sync = first === 0xff && second >> 5 === 0b111
  const version = (second >> 3) & 0b11
  const layer = (second >> 1) & 0b11
  const reservedRate = third >> 4 === 0b1111 || ((third >> 2) & 0b11) === 0b11
  return sync && version !== RESERVED_VERSION && layer === LAYER_3 && !reservedRate
}
