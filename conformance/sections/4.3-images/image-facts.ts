import { type PixelSize, readBmpSize, readGifSize, readPngSize, readWebpSize } from './fixed-offset-sizes.ts'
import { readBoxSize, readJpegSize, readSvgSize, readTiffSize } from './variable-offset-sizes.ts'

export interface ImageFacts {
  readonly format: string
  /** File name extensions of the format, in lower case and without the dot. */
  readonly extensions: readonly string[]
  readonly mediaTypes: readonly string[]
  /** Width and height. Undefined if the file does not state them or is truncated. */
  readonly size: PixelSize | undefined
}

interface Format extends Omit<ImageFacts, 'size'> {
  /** Matches the signature at the start of the file, which is decoded as Latin-1. */
  readonly beginning: RegExp
  readSize(bytes: Buffer): PixelSize | undefined
}

/** Number of bytes that the format detection reads. An SVG may have a prolog and comments before its first element. */
const MAX_SIGNATURE_BYTES = 1024

const FORMATS: readonly Format[] = [
  {
    format: 'PNG',
    extensions: ['png'],
    mediaTypes: ['image/png', 'image/apng'],
    beginning: /^\x89PNG\r\n\x1a\n/,
    readSize: readPngSize,
  },
  {
    format: 'JPEG',
    extensions: ['jpg', 'jpeg'],
    mediaTypes: ['image/jpeg', 'image/jpg', 'image/pjpeg'],
    beginning: /^\xff\xd8\xff/,
    readSize: readJpegSize,
  },
  {
    format: 'GIF',
    extensions: ['gif'],
    mediaTypes: ['image/gif'],
    beginning: /^GIF8[79]a/,
    readSize: readGifSize,
  },
  {
    format: 'WebP',
    extensions: ['webp'],
    mediaTypes: ['image/webp'],
    beginning: /^RIFF[^]{4}WEBP/,
    readSize: readWebpSize,
  },
  {
    format: 'BMP',
    extensions: ['bmp'],
    mediaTypes: ['image/bmp', 'image/x-bmp', 'image/x-ms-bmp'],
    beginning: /^BM/,
    readSize: readBmpSize,
  },
  {
    format: 'TIFF',
    extensions: ['tif', 'tiff'],
    mediaTypes: ['image/tiff', 'image/tiff-fx'],
    beginning: /^(II\*\0|MM\0\*)/,
    readSize: readTiffSize,
  },
  {
    format: 'AVIF',
    extensions: ['avif'],
    mediaTypes: ['image/avif', 'image/avif-sequence'],
    beginning: /^[^]{4}ftyp(avi[fs]|(mif|msf)1[^]{4}([^]{4}){0,8}avi[fs])/,
    readSize: readBoxSize,
  },
  {
    format: 'HEIC',
    extensions: ['heic'],
    mediaTypes: ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
    beginning: /^[^]{4}ftyp(hei|hev|mif|msf)/,
    readSize: readBoxSize,
  },
  {
    format: 'SVG',
    extensions: ['svg'],
    mediaTypes: ['image/svg+xml', 'application/xml', 'text/xml'],
    beginning: /^(\xef\xbb\xbf)?\s*(<\?xml|<!--|<!DOCTYPE svg|<svg)/,
    readSize: readSvgSize,
  },
]

/** Reads the format and the size of an image. Returns undefined if the bytes are not a known image. Never throws. */
export function readImage(bytes: Uint8Array): ImageFacts | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const beginning = buffer.toString('latin1', 0, MAX_SIGNATURE_BYTES)
  const found = FORMATS.find((format) => format.beginning.test(beginning))
  if (found === undefined) return undefined
  const { format, extensions, mediaTypes, readSize } = found
  return { format, extensions, mediaTypes, size: readSize(buffer) }
}
