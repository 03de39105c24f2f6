import fc from 'fast-check'
import { decode } from 'fast-png'
import { describe, expect, test } from 'vitest'
import { generatePng, MAX_PNG_SIDE_PX } from './png.ts'

describe('a generated image', () => {
  const sizes = [
    [1, 1],
    [3, 777],
    [777, 3],
    [256, 256],
    [1792, 1024],
    [1023, 1025],
    [MAX_PNG_SIDE_PX, 1],
    [MAX_PNG_SIDE_PX, MAX_PNG_SIDE_PX],
  ] as const

  test.each(sizes)('a generated image is a PNG file of %i x %i pixels', async (width, height) => {
    const image = decode(await generatePng({ width, height, seed: 1 }), { checkCrc: true })
    expect(image).toMatchObject({ width, height, depth: 4, channels: 1 })
    expect(image.palette).toHaveLength(16)
  })

  test('a generated image is identical for the same seed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 1, max: 90 }),
        seeds(),
        async (width, height, seed) => {
          const [first, second] = await Promise.all([
            generatePng({ width, height, seed }),
            generatePng({ width, height, seed }),
          ])
          expect(first.equals(second)).toBe(true)
        },
      ),
      { numRuns: 30 },
    )
  })

  test('a generated image differs for each seed', async () => {
    const images = await Promise.all(Array.from({ length: 20 }, (_, seed) => generatePixels(seed)))
    const fromBytes = await generatePixels(Buffer.from('a digest'))
    for (const [index, image] of images.entries()) {
      for (const other of [...images.slice(index + 1), fromBytes]) {
        expect(meanDifference(image, other)).toBeGreaterThan(10)
      }
    }
  })

  test('a generated image has full resolution even if rows repeat', async () => {
    const small = await generatePixels(5, 256)
    const large = await generatePixels(5, 1024)
    // Compares every fourth pixel of every fourth row of the large image with the small image.
    const sampled = Uint8Array.from(small, (_, at) => {
      const pixel = Math.floor(at / 3)
      const row = Math.floor(pixel / 256)
      const column = pixel % 256
      return large[3 * ((4 * row + 1) * 1024 + 4 * column) + (at % 3)] ?? 0
    })
    expect(meanDifference(small, sampled)).toBeLessThan(2)
  })
})

test.each([0, -1, 1.5, Number.NaN, MAX_PNG_SIDE_PX + 1])('rejects an image with a side of %d pixels', async (side) => {
  await expect(generatePng({ width: side, height: 8, seed: 1 })).rejects.toThrow(RangeError)
  await expect(generatePng({ width: 8, height: side, seed: 1 })).rejects.toThrow(RangeError)
})

function seeds(): fc.Arbitrary<number | Uint8Array> {
  return fc.oneof(fc.integer(), fc.uint8Array({ maxLength: 32 }))
}

/**
 * Generates a square image, decodes it with an independent decoder, and returns the red, green and blue of each pixel.
 */
async function generatePixels(seed: number | Uint8Array, side = 64): Promise<Uint8Array> {
  const { data, palette } = decode(await generatePng({ width: side, height: side, seed }), { checkCrc: true })
  // The decoder returns indexed pixels packed two per byte, the left pixel in the high bits.
  const indexes = [...data].flatMap((pair) => [pair >> 4, pair & 15])
  return Uint8Array.from(indexes.flatMap((index) => palette?.[index] ?? []))
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length
}
