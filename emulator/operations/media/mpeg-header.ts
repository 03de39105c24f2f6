/** Bit rates in kbit/s by their index (ISO/IEC 11172-3 and 13818-3); 0 stands for what a walk cannot follow. */
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

/** Sample rates of version 1 in hertz; version 2 has half of each, version 2.5 a quarter. */
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000]

/** A frame of MPEG audio as far as a walk from frame to frame needs it. */
export interface FrameHeader {
  /** Header and padding included. */
  readonly lengthBytes: number
  readonly durationMs: number
}

/** Reads the frame header at `at`; undefined when none is there, or one whose length cannot be told. */
export function readFrameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
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
  // Layer I counts in slots of four bytes, the others in bytes.
  const slotBytes = layer === 1 ? 4 : 1
  const slots = Math.floor((samples / 8 / slotBytes) * ((kbits * 1000) / sampleRateHz)) + ((rates >> 1) & 1)
  return { lengthBytes: slots * slotBytes, durationMs: (1000 * samples) / sampleRateHz }
}
