/** Width and height of an image in pixels, both at least 1. */
export interface PixelSize {
  readonly widthPx: number
  readonly heightPx: number
}

/** Creates a size from two numbers. Returns undefined if either is missing or below 1. */
export function createPixelSize(widthPx: number, heightPx: number): PixelSize | undefined {
  const areSizes = [widthPx, heightPx].every((edge) => Number.isSafeInteger(edge) && edge > 0)
  return areSizes ? { widthPx, heightPx } : undefined
}

/** Reads the size of a PNG file from its header chunk, which is always first (W3C PNG, section 11.2.1). */
export function readPngSize(bytes: Buffer): PixelSize | undefined {
  const isHeader = bytes.length >= 24 && bytes.toString('latin1', 12, 16) === 'IHDR'
  return isHeader ? createPixelSize(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) : undefined
}

/** Reads the size of a GIF file from its logical screen descriptor (GIF89a, section 18). */
export function readGifSize(bytes: Buffer): PixelSize | undefined {
  return bytes.length >= 10 ? createPixelSize(bytes.readUInt16LE(6), bytes.readUInt16LE(8)) : undefined
}

/** Reads the size of a BMP file. A negative height means that the rows run from top to bottom. */
export function readBmpSize(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 26) return undefined
  return bytes.readUInt32LE(14) === 12
    ? createPixelSize(bytes.readUInt16LE(18), bytes.readUInt16LE(20))
    : createPixelSize(bytes.readInt32LE(18), Math.abs(bytes.readInt32LE(22)))
}

/** Reads the size of a lossy, lossless or extended WebP file (RFC 9649, section 2). */
export function readWebpSize(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 30) return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return createPixelSize(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return createPixelSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return createPixelSize(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return undefined
  }
}
