/** MPEG-2 layer III, no checksum, 32 kbit/s at 16 kHz, one channel (ISO 13818-3, 2.4.2.3). */
const FRAME_HEADER = [0xff, 0xf3, 0x48, 0xc0]
const FRAME_BYTES = 144
const FRAME_MS = 36

/** An MP3 file of silence: frames whose side information and main data are all zero. */
export function buildMp3(durationMs: number): Uint8Array {
  const frames = Math.ceil(durationMs / FRAME_MS)
  const file = new Uint8Array(frames * FRAME_BYTES)
  for (let frame = 0; frame < frames; frame += 1) {
    file.set(FRAME_HEADER, frame * FRAME_BYTES)
  }
  return file
}
