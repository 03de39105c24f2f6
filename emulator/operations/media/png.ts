import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { createMulberry32 } from '../../state/seeded-random.ts'
import { renderRow, planImagePattern, type ImagePattern } from './image-pattern.ts'

const deflateAsync = promisify(deflate)

export const MAX_PNG_SIDE_PX = 4096

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** Number of bits per pixel. Each pixel is an index into a palette of 16 colours. */
const BIT_DEPTH = 4
const COLOUR_TYPE_INDEXED = 3
/** Row filter for unchanged bytes (PNG, section 9.2). */
const FILTER_NONE = 0
const FILTER_UP = 2

/**
 * Generates a PNG file with discs on a striped background. The same size and seed produce the same file. Compresses the
 * pixels in the thread pool.
 * @throws RangeError if width or height is not an integer from 1 to {@link MAX_PNG_SIDE_PX}
 */
export async function generatePng(options: PngOptions): Promise<Buffer> {
  const pattern = planPng(options)
  return createFile(pattern, await deflateAsync(packRows(pattern), COMPRESSION))
}

interface PngOptions {
  readonly width: number
  readonly height: number
  readonly seed: Uint8Array | number
}

const COMPRESSION = { level: 1 }

function planPng({ width, height, seed }: PngOptions): ImagePattern {
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side < 1 || side > MAX_PNG_SIDE_PX) {
      throw new RangeError(`a side of an image is an integer from 1 to ${MAX_PNG_SIDE_PX} pixels, not ${side}`)
    }
  }
  return planImagePattern(width, height, createMulberry32(seed))
}

function createFile(pattern: ImagePattern, pixels: Buffer): Buffer {
  return Buffer.concat([
    SIGNATURE,
    createChunk('IHDR', createHeader(pattern.width, pattern.height)),
    createChunk('PLTE', pattern.palette),
    createChunk('IDAT', pixels),
    createChunk('IEND', new Uint8Array()),
  ])
}

function createHeader(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(width, 0)
  bytes.writeUInt32BE(height, 4)
  bytes.set([BIT_DEPTH, COLOUR_TYPE_INDEXED], 8)
  return bytes
}

function createChunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

/**
 * Packs all rows, each after its filter byte. A row that repeats the row above consists of zeros with the filter "up".
 * The buffer already contains zeros.
 */
function packRows(pattern: ImagePattern): Buffer {
  const { width, height, rowRepeatPx } = pattern
  const rowBytes = 1 + Math.ceil((width * BIT_DEPTH) / 8)
  const packed = Buffer.alloc(rowBytes * height)
  // One extra pixel completes the last byte if the width is odd.
  const row = new Uint8Array(width + 1)
  for (let y = 0; y < height; y += 1) {
    const start = y * rowBytes
    if (y % rowRepeatPx !== 0) {
      packed[start] = FILTER_UP
      continue
    }
    packed[start] = FILTER_NONE
    renderRow(pattern, y, row)
    for (let x = 0, at = start + 1; x < width; x += 2, at += 1) {
      packed[at] = ((row[x] ?? 0) << 4) | (row[x + 1] ?? 0)
    }
  }
  return packed
}
