import type { Transform } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { MAX_WINDOW_LOG } from './memory-limits.ts'
import { listPieces, ReceivedBody, type TimedBody } from './received-body.ts'
import { BodyReservation, type MemoryHolder } from './response-memory.ts'

/** Decoders that release everything that the received bytes contain. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ flush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG } }),
}

/** Decompresses a body in the pieces in which it arrived. Undefined for an unknown encoding, `invalid` for other data. */
export async function decodeArrivals(
  body: TimedBody,
  contentEncoding: string | undefined,
  maxBytes: number,
  memory: MemoryHolder,
): Promise<TimedBody | 'too-large' | 'invalid' | undefined> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? ''
  const decoder = DECODERS[encoding]?.()
  if (decoder === undefined) return undefined
  const decoded = new ReceivedBody(maxBytes)
  const reservation = new BodyReservation(memory)
  let currentMs = 0
  let isTooLarge = false
  const stop = (): void => {
    isTooLarge = true
    decoder.destroy()
  }
  decoder.on('data', (bytes: Uint8Array) => {
    if (decoded.bytes + bytes.byteLength > maxBytes) {
      stop()
      return
    }
    decoded.append(bytes, currentMs)
    reservation.grow(decoded.bytes, decoder, { onDeny: stop })
  })
  try {
    for (const { bytes, atMs } of listPieces(body)) {
      currentMs = atMs
      await writeTo(decoder, bytes)
      // The decoder may emit its output in the next turn of the event loop.
      await nextTurn()
    }
    return isTooLarge ? 'too-large' : decoded.take()
  } catch {
    if (isTooLarge) return 'too-large'
    // Clients also accept deflate without its header.
    return encoding === 'deflate' ? undefined : 'invalid'
  } finally {
    reservation.end(decoded.bytes)
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
