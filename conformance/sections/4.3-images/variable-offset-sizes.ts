import { type PixelSize, createPixelSize } from './fixed-offset-sizes.ts'

/** Reads the size of a JPEG file from its frame header, which follows other segments (ITU-T T.81, B.2.2). */
export function readJpegSize(bytes: Buffer): PixelSize | undefined {
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    const isFill = marker === 0xff
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    if (isFrameStart(marker)) return createPixelSize(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    at += isFill ? 1 : 2
    if (!isFill && !standsAlone) at += bytes.readUInt16BE(at)
  }
  return undefined
}

/** Returns whether a JPEG marker starts a frame: C0 to CF, except tables (C4, CC) and extensions (C8). */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

const TIFF_WIDTH = 256
const TIFF_HEIGHT = 257
const TIFF_ENTRY_BYTES = 12
const TIFF_SHORT = 3

/** Reads the size of a TIFF file from two entries of its first directory (TIFF 6.0, section 2). */
export function readTiffSize(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 8) return undefined
  const isLittle = bytes[0] === 0x49
  const short = (at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const long = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const directory = long(4)
  if (directory + 2 > bytes.length) return undefined
  const values = new Map<number, number>()
  for (let entry = 0; entry < short(directory); entry += 1) {
    const at = directory + 2 + entry * TIFF_ENTRY_BYTES
    if (at + TIFF_ENTRY_BYTES > bytes.length) break
    values.set(short(at), short(at + 2) === TIFF_SHORT ? short(at + 8) : long(at + 8))
  }
  return createPixelSize(values.get(TIFF_WIDTH) ?? 0, values.get(TIFF_HEIGHT) ?? 0)
}

/** Number of bytes at the start of the file in which to search. Encoders write properties before pixels. */
const BOXES_WITHIN_BYTES = 256 * 1024
const BOX_WITH_SIZE_BYTES = 20

/**
 * Reads the size of an AVIF or HEIC file from its largest `ispe` property (ISO 23008-12, 6.5.3). Tiles, thumbnails and
 * masks also have this property, but they are never larger than the image.
 */
export function readBoxSize(bytes: Buffer): PixelSize | undefined {
  const boxes = bytes.subarray(0, BOXES_WITHIN_BYTES)
  let largest: PixelSize | undefined
  for (let at = boxes.indexOf('ispe'); at !== -1; at = boxes.indexOf('ispe', at + 4)) {
    if (at < 4 || at + 16 > boxes.length || boxes.readUInt32BE(at - 4) !== BOX_WITH_SIZE_BYTES) continue
    const size = createPixelSize(boxes.readUInt32BE(at + 8), boxes.readUInt32BE(at + 12))
    if (areaOf(size) > areaOf(largest)) largest = size
  }
  return largest
}

function areaOf(size: PixelSize | undefined): number {
  return size === undefined ? 0 : size.widthPx * size.heightPx
}

const MAX_PROLOG_BYTES = 16 * 1024

/** Reads the size of an SVG file in pixels. Undefined for other units and missing attributes: such a file scales. */
export function readSvgSize(bytes: Buffer): PixelSize | undefined {
  const text = bytes.toString('utf8', 0, MAX_PROLOG_BYTES)
  const start = text.indexOf('<svg')
  const element = start === -1 ? '' : text.slice(start, text.indexOf('>', start) + 1)
  return createPixelSize(pixelsOf(element, 'width'), pixelsOf(element, 'height'))
}

function pixelsOf(element: string, name: string): number {
  const value = new RegExp(`\\s${name}=["'](\\d{1,6})(?:\\.0{1,6})?(?:px)?["']`).exec(element)?.[1]
  return Number(value)
}
