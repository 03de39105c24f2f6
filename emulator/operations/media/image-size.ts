export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Reads the size from the header of a PNG, JPEG, GIF or WebP file. Returns undefined for other bytes. Never throws. */
export function readImageSize(bytes: Buffer): ImageSize | undefined {
  const size = readPngSize(bytes) ?? readGifSize(bytes) ?? readWebpSize(bytes) ?? readJpegSize(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function readPngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function readGifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 4) !== 'GIF8') return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/**
 * Reads the size from the first chunk of a WebP file, whose structure depends on the compression (RFC 9649, sections
 * 2.5 to 2.7).
 */
function readWebpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined
  switch (bytes.toString('latin1', 8, 16)) {
    case 'WEBPVP8 ': // Lossy compression.
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'WEBPVP8L': {
      // Lossless compression: two fields of 14 bits.
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'WEBPVP8X': // Extended format.
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Reads the size from the frame header of a JPEG file (ITU-T T.81, annex B). */
function readJpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      at += 1 // Skips a fill byte.
      continue
    }
    // 0xC4, 0xC8 and 0xCC do not start a frame. They mark tables, a reserved value and arithmetic coding conditions.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
