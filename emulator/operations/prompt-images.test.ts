import { expect, test } from 'vitest'
import { countImageTokens, readPromptImage } from './prompt-images.ts'

/**
 * Creates a data URL with the beginning of a PNG file.
 * @param bytes number of bytes to append
 */
function pngUrl(width: number, height: number, bytes = 100): string {
  const header = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAACUAAAAV', 'base64')
  header.writeUInt32BE(width, 16)
  header.writeUInt32BE(height, 20)
  return `data:image/png;base64,${Buffer.concat([header, Buffer.alloc(bytes)]).toString('base64')}`
}

// 1024 × 1024 and 2048 × 4096 pixels are examples in the documentation of the service that published this rule.
test.each([
  [1024, 1024, 765],
  [2048, 4096, 1105],
  [512, 512, 255],
  [513, 512, 425],
  [1, 1, 255],
  [10_000, 1, 765],
])('counts an image of %d × %d pixels as %d tokens', (width, height, tokens) => {
  expect(countImageTokens({ url: pngUrl(width, height), detail: 'high' }, 'tiles')).toBe(tokens)
})

test('counts the same tokens regardless of the number of bytes', () => {
  expect(countImageTokens({ url: pngUrl(512, 512, 1_000_000), detail: undefined }, 'tiles')).toBe(255)
})

test('counts 85 tokens at low detail and with the rule fixed', () => {
  expect(countImageTokens({ url: pngUrl(4096, 4096), detail: 'low' }, 'tiles')).toBe(85)
  expect(countImageTokens({ url: pngUrl(4096, 4096), detail: 'high' }, 'fixed')).toBe(85)
})

test.each(['https://example.com/cat.png', 'data:image/png;base64,AAAA', 'data:image/png;base64,', ''])(
  'counts an image of unknown size like one of 1024 × 1024 pixels: %j',
  (url) => {
    expect(countImageTokens({ url, detail: 'auto' }, 'tiles')).toBe(765)
  },
)

test('finds the size of a JPEG file behind a long segment', () => {
  const comment = Buffer.alloc(60_000)
  comment.writeUInt16BE(0xfffe, 0)
  comment.writeUInt16BE(comment.length - 2, 2)
  const start = Buffer.from('ffc0000b080100030001011100', 'hex') // JPEG frame header of an image of 768 × 256 pixels.
  const url = `data:image/jpeg;base64,${Buffer.concat([Buffer.from('ffd8', 'hex'), comment, start]).toString('base64')}`
  expect(countImageTokens({ url, detail: 'high' }, 'tiles')).toBe(85 + 2 * 170)
})

test.each([
  [
    { type: 'image_url', image_url: { url: 'a', detail: 'low' } },
    { url: 'a', detail: 'low' },
  ],
  [
    { type: 'input_image', image_url: 'a', detail: 'low' },
    { url: 'a', detail: 'low' },
  ],
  [{ type: 'text', text: 'a' }, undefined],
  [{ type: 'image_url', image_url: { file: 'a' } }, undefined],
])('reads the image of the part %j', (part, image) => {
  expect(readPromptImage(part)).toEqual(image)
})
