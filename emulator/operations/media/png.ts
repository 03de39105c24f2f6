import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { mulberry32 } from '../../state/seeded-random.ts'
import { paintRow, planPicture, type Picture } from './picture.ts'

const deflateAsync = promisify(deflate)

/** Longest side of a picture, in pixels. */
export const MAX_PNG_SIDE_PX = 4096

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** Four bits index the palette of 16 colours: two pixels share a byte. */
const BIT_DEPTH = 4
const COLOUR_TYPE_INDEXED = 3
/** Row filters (PNG, section 9.2): the bytes as they are; each byte less the one above it. */
const FILTER_NONE = 0
const FILTER_UP = 2

/**
 * Draws a picture of discs on a striped ground: the same for the same size and seed, another for another seed.
 * The bytes are a whole PNG file of exactly `width` by `height` pixels; compression runs off the main thread.
 * @throws RangeError when a side is no integer from 1 to {@link MAX_PNG_SIDE_PX}
 */
export async function drawPng(options: { width: number; height: number; seed: Uint8Array | number }): Promise<Buffer> {
  const { width, height, seed } = options
  for (const side of [width, height]) {
    if (!Number.isInteger(side) || side < 1 || side > MAX_PNG_SIDE_PX) {
      throw new RangeError(`a side of a picture is an integer from 1 to ${MAX_PNG_SIDE_PX} pixels, not ${side}`)
    }
  }
  const picture = planPicture(width, height, mulberry32(seed))
  const pixels = await deflateAsync(packRows(picture), { level: 1 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header(width, height)),
    chunk('PLTE', picture.palette),
    chunk('IDAT', pixels),
    chunk('IEND', new Uint8Array()),
  ])
}

function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(width, 0)
  bytes.writeUInt32BE(height, 4)
  bytes.set([BIT_DEPTH, COLOUR_TYPE_INDEXED], 8)
  return bytes
}

/** A chunk: length of the data, type, data, CRC of type and data. */
function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

/**
 * All rows, each after its filter byte. A row that repeats the one above costs nothing: under the filter "up" it is the
 * zeros that the buffer starts with.
 */
function packRows(picture: Picture): Buffer {
  const { width, height, cellPx } = picture
  const rowBytes = 1 + Math.ceil((width * BIT_DEPTH) / 8)
  const packed = Buffer.alloc(rowBytes * height)
  // One more than an odd width needs, so that the last byte has its second pixel.
  const row = new Uint8Array(width + 1)
  for (let y = 0; y < height; y += 1) {
    const start = y * rowBytes
    if (y % cellPx !== 0) {
      packed[start] = FILTER_UP
      continue
    }
    packed[start] = FILTER_NONE
    paintRow(picture, y, row)
    for (let x = 0, at = start + 1; x < width; x += 2, at += 1) {
      packed[at] = ((row[x] ?? 0) << 4) | (row[x + 1] ?? 0)
    }
  }
  return packed
}
