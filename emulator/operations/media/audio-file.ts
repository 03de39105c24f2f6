import { measureId3Tag } from './id3.ts'

/** Maximum number of bytes to skip in search of the next MPEG frame. */
const MAX_SKIPPED_BYTES = 64 * 1024

/**
 * Computes the duration in milliseconds of a WAV or MP3 file from its headers. Returns undefined for other formats and
 * for files without sound. Takes linear time and never throws.
 */
export function measureAudioMs(bytes: Uint8Array): number | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const isWav = view.toString('latin1', 0, 4) === 'RIFF' && view.toString('latin1', 8, 12) === 'WAVE'
  const durationMs = isWav ? computeWavDurationMs(view) : computeMp3DurationMs(view)
  return durationMs > 0 ? Math.round(durationMs) : undefined
}

/**
 * Computes the duration of a WAV file from its format chunk and data chunk. Truncates a data length that exceeds the
 * file.
 */
function computeWavDurationMs(bytes: Buffer): number {
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
 * Adds up the durations of the MPEG frames after an optional ID3 tag. Four arbitrary bytes may look like a frame
 * header. At the start and after a gap, a frame therefore counts only if another header follows it.
 */
function computeMp3DurationMs(bytes: Buffer): number {
  let durationMs = 0
  let at = measureId3Tag(bytes)
  let lastEnd = at
  while (at + 4 <= bytes.length && at - lastEnd <= MAX_SKIPPED_BYTES) {
    const header = parseFrameHeader(bytes, at)
    const continuesLast = durationMs > 0 && at === lastEnd
    if (header && (continuesLast || parseFrameHeader(bytes, at + header.lengthBytes))) {
      durationMs += header.durationMs
      at += header.lengthBytes
      lastEnd = at
    } else {
      at += 1
    }
  }
  return durationMs
}

/**
 * Bit rates in kbit/s by layer and index (ISO/IEC 11172-3 and 13818-3). 0 stands for indices without a known frame
 * length.
 */
const KBITS_V1 = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 0],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
]
const KBITS_V2 = [
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
]

/** Sample rates of MPEG version 1. Version 2 has half of each rate, version 2.5 a quarter. */
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000]

export interface FrameHeader {
  /** Length of the frame in bytes, including header and padding. */
  readonly lengthBytes: number
  readonly durationMs: number
}

/**
 * Parses the frame header at offset `at`. Returns undefined if there is no header, or if the frame length is unknown.
 */
export function parseFrameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
  const [sync = 0, kind = 0, rates = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]]
  const version = (kind >> 3) & 3
  const layer = 4 - ((kind >> 1) & 3)
  if (sync !== 0xff || kind < 0xe0 || version === 1 || layer === 4) {
    return undefined
  }
  const isVersion1 = version === 3
  const kbits = (isVersion1 ? KBITS_V1 : KBITS_V2)[layer - 1]?.[rates >> 4] ?? 0
  const sampleRateHz = (SAMPLE_RATES_HZ[(rates >> 2) & 3] ?? 0) / (isVersion1 ? 1 : version === 2 ? 2 : 4)
  if (kbits === 0 || sampleRateHz === 0) {
    return undefined
  }
  const samples = layer === 1 ? 384 : layer === 3 && !isVersion1 ? 576 : 1152
  // Layer I counts the frame length in slots of four bytes, the other layers in bytes.
  const slotBytes = layer === 1 ? 4 : 1
  const slots = Math.floor((samples / 8 / slotBytes) * ((kbits * 1000) / sampleRateHz)) + ((rates >> 1) & 1)
  return { lengthBytes: slots * slotBytes, durationMs: (1000 * samples) / sampleRateHz }
}

/** Signatures at fixed offsets by which audio formats are recognized. */
const SIGNATURES: readonly { readonly at: number; readonly hex: string }[] = [
  { at: 8, hex: '57415645' }, // WAVE form type of a RIFF file
  { at: 0, hex: '494433' }, // ID3 tag of an MP3 file
  { at: 0, hex: '664c6143' }, // FLAC marker
  { at: 0, hex: '4f676753' }, // Ogg page
  { at: 0, hex: '1a45dfa3' }, // EBML header of a WebM file
  { at: 4, hex: '66747970' }, // ftyp box of an MP4 or M4A file
]

/** Returns true if the bytes start with the signature of a common audio format. */
export function isKnownAudio(bytes: Buffer): boolean {
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0 // Frame sync of MPEG audio.
  return isFrame || SIGNATURES.some(({ at, hex }) => bytes.toString('hex', at, at + hex.length / 2) === hex)
}
