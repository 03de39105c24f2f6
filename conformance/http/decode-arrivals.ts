import type { Transform } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { TimedBytes } from './build-exchange.ts'

/** Decoders that release everything that the received bytes contain. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ flush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress(),
}

/**
 * Decompresses a body in the pieces in which it arrived. A decoded piece has the arrival time of the bytes with which a
 * client could decode it. Returns undefined for an unknown encoding, invalid data, or a result larger than `maxBytes`.
 */
export async function decodeArrivals(
  arrivals: readonly TimedBytes[],
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<readonly TimedBytes[] | undefined> {
  const decoder = DECODERS[contentEncoding?.trim().toLowerCase() ?? '']?.()
  if (decoder === undefined) return undefined
  const decoded: TimedBytes[] = []
  let [sizeBytes, currentMs] = [0, 0]
  decoder.on('data', (bytes: Uint8Array) => {
    sizeBytes += bytes.byteLength
    decoded.push({ bytes, atMs: currentMs })
    if (sizeBytes > maxBytes) decoder.destroy()
  })
  try {
    for (const { bytes, atMs } of arrivals) {
      currentMs = atMs
      await writeTo(decoder, bytes)
      // The decoder may emit its output in the next turn of the event loop.
      await nextTurn()
    }
    return sizeBytes > maxBytes ? undefined : decoded
  } catch {
    return undefined
  } finally {
    decoder.destroy()
  }
}

/** Writes bytes to a decoder. Resolves when it has decoded them. Rejects if they are invalid or it is closed. */
function writeTo(decoder: Transform, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error?: Error): void => reject(error ?? new Error('the decoder is closed'))
    decoder.once('error', fail)
    decoder.once('close', fail)
    decoder.write(bytes, () => {
      decoder.off('error', fail)
      decoder.off('close', fail)
      resolve()
    })
  })
}
