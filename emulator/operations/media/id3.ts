/** Header length of an ID3v2.4 tag, which precedes the audio data (https://id3.org/id3v2.4.0-structure). */
const HEADER_BYTES = 10
const FRAME_HEADER_BYTES = 10
const VERSION = 4
const UTF8 = 3
const EXTENDED_HEADER_FLAG = 0x40

/**
 * Text encodings, indexed by the first byte of a text field. In practice, text in the second encoding has a byte order
 * mark and is little-endian.
 */
const ENCODINGS = [
  { name: 'latin1', unitBytes: 1, hasMark: false },
  { name: 'utf-16le', unitBytes: 2, hasMark: true },
  { name: 'utf-16be', unitBytes: 2, hasMark: false },
  { name: 'utf-8', unitBytes: 1, hasMark: false },
] as const

/**
 * Creates a tag with user-defined text (TXXX frames).
 * @param texts text of each frame, by description; lone surrogates become U+FFFD
 */
export function createTextTag(texts: Readonly<Record<string, string>>): Buffer {
  const frames = Object.entries(texts).flatMap(([description, text]) => {
    const content = Buffer.concat([Uint8Array.of(UTF8), Buffer.from(`${description}\0${text}\0`)])
    return [Buffer.from([...Buffer.from('TXXX'), ...encodeSyncSafe(content.length), 0, 0]), content]
  })
  const body = Buffer.concat(frames)
  return Buffer.concat([Buffer.from('ID3'), Uint8Array.of(VERSION, 0, 0, ...encodeSyncSafe(body.length)), body])
}

/**
 * Reads the text with the given description from the tag at the start of `bytes`. Returns undefined if there is none.
 * Supports versions 2.3 and 2.4, because tools that copy a file may rewrite its tag. Never throws.
 */
export function readTextTag(bytes: Uint8Array, description: string): string | undefined {
  const tag = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = Math.min(tag.length, measureId3Tag(bytes))
  const version = tag[3]
  const flags = tag[5] ?? 0
  if ((version !== 3 && version !== 4) || (flags & EXTENDED_HEADER_FLAG) !== 0) {
    return undefined
  }
  let at = HEADER_BYTES
  while (at + FRAME_HEADER_BYTES < end) {
    const size = version === 4 ? decodeSyncSafe(tag, at + 4) : tag.readUInt32BE(at + 4)
    const content = tag.subarray(at + FRAME_HEADER_BYTES, Math.min(end, at + FRAME_HEADER_BYTES + size))
    if (tag.toString('latin1', at, at + 4) === 'TXXX') {
      const [name, text] = parseTextFrame(content)
      if (name === description) {
        return text
      }
    }
    at += FRAME_HEADER_BYTES + size
  }
  return undefined
}

/**
 * Returns the length of the tag at the start of `bytes`, including its header, in bytes. Returns 0 if there is no tag.
 */
export function measureId3Tag(bytes: Uint8Array): number {
  const startsWithTag = bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33
  return startsWithTag && bytes.length >= HEADER_BYTES ? HEADER_BYTES + decodeSyncSafe(bytes, 6) : 0
}

/**
 * Splits the content of a frame at the zero character between description and text. Removes a zero character at the end
 * of the text.
 */
function parseTextFrame(content: Buffer): [name: string, text: string] | [] {
  const encoding = ENCODINGS[content[0] ?? -1]
  if (!encoding) {
    return []
  }
  const { name, unitBytes, hasMark } = encoding
  const decoder = new TextDecoder(name, { ignoreBOM: !hasMark })
  for (let at = 1; at + unitBytes <= content.length; at += unitBytes) {
    if (content[at] === 0 && content[at + unitBytes - 1] === 0) {
      const text = decoder.decode(content.subarray(at + unitBytes))
      return [decoder.decode(content.subarray(1, at)), text.endsWith('\0') ? text.slice(0, -1) : text]
    }
  }
  return []
}

/** Encodes a number in four bytes of seven bits. These bytes never contain the sync pattern of an audio frame. */
function encodeSyncSafe(value: number): number[] {
  return [21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f)
}

function decodeSyncSafe(bytes: Uint8Array, at: number): number {
  return bytes.subarray(at, at + 4).reduce((value, byte) => (value << 7) | (byte & 0x7f), 0)
}
