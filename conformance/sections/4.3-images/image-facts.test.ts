import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getInputCount } from '../../testing/generated-inputs.ts'
import { readImage } from './image-facts.ts'

/** The first bytes of images of 74 x 52 pixels, written by other programs. Most bytes after the size are omitted. */
const PNG = '89504e470d0a1a0a0000000d494844520000004a0000003408020000'
const GIF = '4749463839614a003400f71f31000000'
const BMP = '424db62d00000000000036000000280000004a000000340000000100180000000000'
const WEBP_LOSSY = `52494646${'00'.repeat(4)}5745425056503820${'00'.repeat(4)}900c009d012a4a0034000000`
const WEBP_LOSSLESS = '5249464618010000574542505650384c0c0100002f49c00c0099000000000000'
const WEBP_EXTENDED = `52494646${'00'.repeat(4)}57454250565038580a00000010000000490000330000`
const JPEG = `ffd8ffe000104a46494600010200000100010000ffdb0004ffffffc400040000ffc0001108${'0034004a'}03012200`
const TIFF_LITTLE = '49492a0008000000020000010300010000004a00000001010300010000003400000000000000'
const TIFF_BIG = '4d4d002a000000080002010000040000000100000000000000000000'
const HEADER_OF_BOXES = '0000001c66747970617669660000000061766966'
const AVIF = `${HEADER_OF_BOXES}0000001469737065000000000000004a00000034`
const HEIC_WITH_TILES =
  '000000186674797068656963000000006d696631' +
  '0000001469737065000000000000000800000008' +
  '0000001469737065000000000000004a00000034'

test.each([
  ['PNG', PNG],
  ['GIF', GIF],
  ['BMP', BMP],
  ['WebP', WEBP_LOSSY],
  ['WebP', WEBP_LOSSLESS],
  ['WebP', WEBP_EXTENDED],
  ['JPEG', JPEG],
  ['TIFF', TIFF_LITTLE],
  ['AVIF', AVIF],
  ['HEIC', HEIC_WITH_TILES],
  [
    'SVG',
    Buffer.from('<?xml version="1.0"?>\n<!-- a --><svg xmlns="x" width="74" height=\'52px\'><g/></svg>').toString(
      'hex',
    ),
  ],
])('reads the format and size of a %s file', (format, hex) => {
  expect(readImage(Buffer.from(hex, 'hex'))).toMatchObject({ format, size: { widthPx: 74, heightPx: 52 } })
})

test('reads a BMP with a negative height and a BMP with 16-bit dimensions', () => {
  const down = Buffer.from(BMP, 'hex')
  down.writeInt32LE(-52, 22)
  expect(readImage(down)?.size).toEqual({ widthPx: 74, heightPx: 52 })
  const old = Buffer.from(BMP, 'hex')
  old.writeUInt32LE(12, 14)
  old.writeUInt32LE(0x0034_004a, 18)
  expect(readImage(old)?.size).toEqual({ widthPx: 74, heightPx: 52 })
})

test.each([
  ['a truncated PNG', PNG.slice(0, 40)],
  ['a JPEG without a frame', 'ffd8ffe0000400000000000000000000'],
  ['a TIFF with its directory beyond the end', '49492a00ff000000'],
  ['a TIFF without a size', TIFF_BIG],
  ['an AVIF without a size', HEADER_OF_BOXES],
  ['a scalable SVG', Buffer.from('<svg viewBox="0 0 10 10" width="100%"/>').toString('hex')],
])('reports no size for %s', (_name, hex) => {
  const facts = readImage(Buffer.from(hex, 'hex'))
  expect(facts).toBeDefined()
  expect(facts?.size).toBeUndefined()
})

test.each([
  ['an empty file', ''],
  ['an HTML page', Buffer.from('<!doctype html><svg width="1" height="1"/>').toString('hex')],
  ['JSON', Buffer.from('{"error":1}').toString('hex')],
  ['an MP3 file', 'fffb9000'],
  ['an MP4 file', '000000186674797069736f6d0000020069736f6d69736f32'],
])('recognizes no image in %s', (_name, hex) => {
  expect(readImage(Buffer.from(hex, 'hex'))).toBeUndefined()
})

test('the image reader returns no invalid size for damaged files, and never throws', () => {
  const files = [PNG, GIF, BMP, WEBP_LOSSY, WEBP_LOSSLESS, WEBP_EXTENDED, JPEG, TIFF_LITTLE, TIFF_BIG, AVIF]
  const damage = fc.tuple(fc.constantFrom(...files), fc.nat(40), fc.uint8Array({ maxLength: 24 }), fc.nat(64))
  fc.assert(
    fc.property(damage, ([hex, at, noise, end]) => {
      const bytes = Buffer.from(hex, 'hex')
      bytes.set(noise.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length))
      const size = readImage(bytes.subarray(0, end))?.size ?? { widthPx: 1, heightPx: 1 }
      expect(size.widthPx).toBeGreaterThan(0)
      expect(size.heightPx).toBeGreaterThan(0)
    }),
    { numRuns: getInputCount(1000) },
  )
})
