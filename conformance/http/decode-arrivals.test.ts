import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeArrivals as decode } from './decode-arrivals.ts'
import { joinPieces, listPieces, type TimedBytes } from './received-body.ts'
import { ResponseMemory } from './response-memory.ts'

const TEXT = 'data: {"choices":[]}\n\n'.repeat(50)
const MAX_BYTES = 100_000

function decodeArrivals(pieces: readonly TimedBytes[], encoding: string | undefined, maxBytes: number) {
  return decode(joinPieces(pieces), encoding, maxBytes, new ResponseMemory().createHolder())
}

function piecesOf(decoded: Awaited<ReturnType<typeof decode>>): [text: string, atMs: number][] {
  if (typeof decoded !== 'object') throw new Error('the body was not decoded')
  return Array.from(listPieces(decoded), ({ bytes, atMs }) => [Buffer.from(bytes).toString(), atMs])
}

function textOf(decoded: Awaited<ReturnType<typeof decode>>): string {
  return piecesOf(decoded)
    .map(([text]) => text)
    .join('')
}

/** Splits bytes into pieces that arrive at 0, 1, 2 … ms. */
function inPieces(bytes: Uint8Array, size: number): TimedBytes[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => ({
    bytes: bytes.subarray(index * size, (index + 1) * size),
    atMs: index,
  }))
}

/** Compresses each text, and flushes the compressor after it. */
async function flushEach(texts: readonly string[]): Promise<TimedBytes[]> {
  const gzip = createGzip()
  const pieces: TimedBytes[] = []
  for (const [atMs, text] of texts.entries()) {
    gzip.write(text)
    await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve))
    const bytes: unknown = gzip.read()
    if (bytes instanceof Uint8Array) pieces.push({ bytes, atMs })
  }
  return pieces
}

test.each([
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
] as const)('decodes %s in pieces', async (encoding, compressed) => {
  expect(textOf(await decodeArrivals(inPieces(compressed, 10), encoding, MAX_BYTES))).toBe(TEXT)
})

test('decodes each part as soon as the compressor has flushed it', async () => {
  const decoded = await decodeArrivals(
    await flushEach(['data: a\n\n', 'data: b\n\n', 'data: c\n\n']),
    'gzip',
    MAX_BYTES,
  )
  expect(piecesOf(decoded)).toEqual([
    ['data: a\n\n', 0],
    ['data: b\n\n', 1],
    ['data: c\n\n', 2],
  ])
})

test('decodes the received part of a truncated body', async () => {
  const pieces = await flushEach(['data: a\n\n', 'data: b\n\n'])
  expect(textOf(await decodeArrivals(pieces, 'gzip', MAX_BYTES))).toBe('data: a\n\ndata: b\n\n')
})

test('does not decode an unknown encoding, invalid data, or too much data', async () => {
  const valid = inPieces(gzipSync(TEXT), 1000)
  expect(await decodeArrivals(valid, undefined, MAX_BYTES)).toBeUndefined()
  expect(await decodeArrivals(valid, 'compress', MAX_BYTES)).toBeUndefined()
  expect(await decodeArrivals([{ bytes: Buffer.from('not compressed'), atMs: 0 }], 'gzip', MAX_BYTES)).toBe('invalid')
  expect(await decodeArrivals([], 'gzip', MAX_BYTES)).toMatchObject({ bytes: Buffer.from('') })
  expect(await decodeArrivals(valid, 'gzip', TEXT.length - 1)).toBe('too-large')
})
