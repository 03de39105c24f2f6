import { id3TagBytes } from './id3.ts'
import { readFrameHeader } from './mpeg-header.ts'

/** How far apart two frames may be: what stands between them is passed over. */
const MAX_SKIPPED_BYTES = 64 * 1024

/**
 * Duration of a WAV or MP3 file by its headers, in milliseconds; undefined when the bytes are neither, or hold no sound.
 * Never throws, and takes time linear in the length of the bytes.
 */
export function audioDurationMs(bytes: Uint8Array): number | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const isWav = view.toString('latin1', 0, 4) === 'RIFF' && view.toString('latin1', 8, 12) === 'WAVE'
  const durationMs = isWav ? wavDurationMs(view) : mp3DurationMs(view)
  return durationMs > 0 ? Math.round(durationMs) : undefined
}

/** Walks the chunks to the format and the data. A length beyond the end, as of a stream, is cut to what is there. */
function wavDurationMs(bytes: Buffer): number {
  let bytesPerSecond = 0
  let at = 12
  while (at + 8 <= bytes.length) {
    const type = bytes.toString('latin1', at, at + 4)
    const size = Math.min(bytes.readUInt32LE(at + 4), bytes.length - at - 8)
    if (type === 'fmt ' && size >= 16) {
      bytesPerSecond = bytes.readUInt32LE(at + 16)
    }
    if (type === 'data') {
      return bytesPerSecond > 0 ? (1000 * size) / bytesPerSecond : 0
    }
    at += 8 + size + (size % 2)
  }
  return 0
}

/**
 * Adds up the frames of MPEG audio after a tag, if there is one. Four bytes that look like a frame header may be chance:
 * where the walk starts or starts again, another header must follow where the frame ends.
 */
function mp3DurationMs(bytes: Buffer): number {
  let durationMs = 0
  let at = id3TagBytes(bytes)
  let lastEnd = at
  while (at + 4 <= bytes.length && at - lastEnd <= MAX_SKIPPED_BYTES) {
    const header = readFrameHeader(bytes, at)
    const goesOn = durationMs > 0 && at === lastEnd
    if (header && (goesOn || readFrameHeader(bytes, at + header.lengthBytes))) {
      durationMs += header.durationMs
      at += header.lengthBytes
      lastEnd = at
    } else {
      at += 1
    }
  }
  return durationMs
}
