import type { Deviation } from '../../findings/families.ts'

const ID3_HEADER_BYTES = 10
const ID3_FOOTER_FLAG = 0x10
const LAYER_3 = 0b01
const RESERVED_VERSION = 0b01

type Mp3Deviation = Extract<Deviation, { code: 'mp3-malformed' }>

function malformed(
  problem: Mp3Deviation['params']['problem'],
  details: Omit<Mp3Deviation['params'], 'problem'> = {},
): Mp3Deviation {
  return { code: 'mp3-malformed', params: { problem, ...details } }
}

/**
 * Finds a deviation at the start of an MP3 file. The file must start with an ID3v2 tag or with a Layer III frame header
 * (ISO 11172-3, 2.4.2.3). Zero bytes after the tag are valid padding.
 */
export function findMp3StartDeviation(bytes: Uint8Array): Mp3Deviation | undefined {
  if (bytes.length === 0) return malformed('empty')
  let offset = tagBytes(bytes)
  if (offset > 0) while (bytes[offset] === 0) offset += 1
  if (offset >= bytes.length) return malformed('nothing-after-tag')
  return isFrameHeader(bytes, offset) ? undefined : malformed('no-frame-header', { offset })
}

/** Returns the length of an ID3v2 tag in bytes. The tag's own size field has 7 bits per byte. */
function tagBytes(bytes: Uint8Array): number {
  const [i, d, three] = bytes
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || bytes.length < ID3_HEADER_BYTES) return 0
  const size = bytes.subarray(6, ID3_HEADER_BYTES).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  const footer = ((bytes[5] ?? 0) & ID3_FOOTER_FLAG) === 0 ? 0 : ID3_HEADER_BYTES
  return ID3_HEADER_BYTES + size + footer
}

/** Bit rates of Layer III in kbit/s, by four bits of the frame header. 0 means no fixed length. */
const KBITS_MPEG_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KBITS_MPEG_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const RATES_HZ = [44_100, 48_000, 32_000]
const MPEG_1 = 0b11
const MPEG_2 = 0b10
const ID3V1_BYTES = 128
const APE_HEADER_BYTES = 32
/** Start of a Lyrics3 tag, where parsing stops, because the tag states its length only at its end. */
const LYRICS = 'LYRICSBEGIN'

/** Number and duration of the frames with sound up to the end of the file, or up to the first bytes that are not MP3. */
export interface Mp3Facts {
  readonly frames: number
  readonly durationMs: number
  /** The first bytes that belong neither to a frame nor to a tag. Undefined if there are none. */
  readonly deviation?: Mp3Deviation
}

/**
 * Finds a deviation from a sequence of whole frames, from the first frame to the end of the file. ID3v2 tags may occur
 * between frames, as in concatenated files. Stops at a frame without a fixed length (free format). Does not decode the
 * audio.
 */
export function findMp3FrameDeviation(bytes: Uint8Array): Mp3Deviation | undefined {
  return parseMp3(bytes).deviation
}

export function parseMp3(bytes: Uint8Array): Mp3Facts {
  let frames = 0
  let durationMs = 0
  let hasFrame = false
  const found = (deviation?: Mp3Deviation): Mp3Facts => ({
    frames,
    durationMs,
    ...(deviation === undefined ? {} : { deviation }),
  })
  for (let offset = 0; offset < bytes.length;) {
    const beside = measureBesideFrames(bytes, offset)
    if (beside > 0) {
      offset += beside
    } else if (isFrameHeader(bytes, offset)) {
      const frame = frameAt(bytes, offset)
      if (frame === undefined) return found()
      const left = bytes.length - offset
      if (frame.bytes > left)
        return found(malformed('frame-cut', { offset, actualBytes: left, frameBytes: frame.bytes }))
      hasFrame = true
      if (!isInfoFrame(bytes.subarray(offset, offset + frame.bytes))) {
        frames += 1
        durationMs += frame.durationMs
      }
      offset += frame.bytes
    } else {
      return found(malformed('no-frame-header', { offset, frames }))
    }
  }
  return found(hasFrame ? undefined : malformed('no-frame'))
}

/** Maximum offset of the name in an information frame: its header, a checksum, and its longest side information. */
const MAX_INFO_OFFSET_BYTES = 4 + 2 + 32

/** Returns whether a frame contains information about the file (Xing, Info or VBRI) instead of sound. */
function isInfoFrame(frame: Uint8Array): boolean {
  const start = Buffer.from(frame.subarray(0, MAX_INFO_OFFSET_BYTES + 4)).toString('latin1')
  return /Xing|Info|VBRI/.test(start)
}

/** Returns the length of the tag or zero padding at an offset, in bytes. Returns 0 if there is neither. */
function measureBesideFrames(bytes: Uint8Array, offset: number): number {
  if (bytes[offset] === 0) return 1
  const start = Buffer.from(bytes.subarray(offset, offset + APE_HEADER_BYTES))
  if (start.toString('latin1', 0, 3) === 'TAG') return ID3V1_BYTES
  if (start.toString('latin1', 0, LYRICS.length) === LYRICS) return bytes.length - offset
  if (start.toString('latin1', 0, 8) === 'APETAGEX' && start.length === APE_HEADER_BYTES) {
    return APE_HEADER_BYTES + start.readUInt32LE(12)
  }
  return tagBytes(bytes.subarray(offset, offset + ID3_HEADER_BYTES))
}

/** Returns the length and duration of the frame with this header. Returns undefined for the free format. */
function frameAt(
  bytes: Uint8Array,
  offset: number,
): { readonly bytes: number; readonly durationMs: number } | undefined {
  const [second = 0, third = 0] = bytes.subarray(offset + 1, offset + 3)
  const version = (second >> 3) & 0b11
  const kbits = (version === MPEG_1 ? KBITS_MPEG_1 : KBITS_MPEG_2)[third >> 4]
  const divisor = version === MPEG_1 ? 1 : version === MPEG_2 ? 2 : 4
  const rateHz = (RATES_HZ[(third >> 2) & 0b11] ?? 0) / divisor
  const padding = (third >> 1) & 1
  if (kbits === undefined || kbits === 0 || rateHz === 0) return undefined
  const samples = version === MPEG_1 ? 1152 : 576
  // A bit rate of 1 kbit/s is 125 bytes per second.
  return { bytes: Math.floor((samples * 125 * kbits) / rateHz) + padding, durationMs: (1000 * samples) / rateHz }
}

function isFrameHeader(bytes: Uint8Array, offset: number): boolean {
  const [first = 0, second = 0, third = 0] = bytes.subarray(offset, offset + 3)
  const sync = first === 0xff && second >> 5 === 0b111
  const version = (second >> 3) & 0b11
  const layer = (second >> 1) & 0b11
  const reservedRate = third >> 4 === 0b1111 || ((third >> 2) & 0b11) === 0b11
  return sync && version !== RESERVED_VERSION && layer === LAYER_3 && !reservedRate
}
