import type { FormFile } from './api-request.ts'

/** Audio formats that the suite can send. The specification does not list formats (section 4.4). */
export type AudioFormat = 'wav' | 'mp3'

const SAMPLE_RATE_HZ = 16_000
const BYTES_PER_SAMPLE = 2
const WAV_HEADER_BYTES = 44
/** The period of 500 Hz is 32 samples, so the file is short enough for a shell command when it is compressed. */
const TONE_HZ = 500

/** Builds a WAV file with a quiet tone: 16-bit mono at 16 kHz, which most services accept. */
export function buildWav(durationMs: number): Uint8Array {
  const samples = Math.round((durationMs / 1000) * SAMPLE_RATE_HZ)
  const dataBytes = samples * BYTES_PER_SAMPLE
  const file = Buffer.alloc(WAV_HEADER_BYTES + dataBytes)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(SAMPLE_RATE_HZ, 24)
  file.writeUInt32LE(SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, 28)
  file.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  file.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(dataBytes, 40)
  for (let sample = 0; sample < samples; sample += 1) {
    const level = Math.round(4000 * Math.sin((2 * Math.PI * TONE_HZ * sample) / SAMPLE_RATE_HZ))
    file.writeInt16LE(level, WAV_HEADER_BYTES + sample * BYTES_PER_SAMPLE)
  }
  return file
}

/** Frame header: MPEG-2 Layer III, no checksum, 32 kbit/s, 16 kHz, mono (ISO 13818-3, 2.4.2.3). */
const FRAME_HEADER = [0xff, 0xf3, 0x48, 0xc0]
const FRAME_BYTES = 144
const FRAME_MS = 36

/** Builds a silent MP3 file: the side information and main data of its frames are zero. */
export function buildMp3(durationMs: number): Uint8Array {
  const frames = Math.ceil(durationMs / FRAME_MS)
  const file = new Uint8Array(frames * FRAME_BYTES)
  for (let frame = 0; frame < frames; frame += 1) {
    file.set(FRAME_HEADER, frame * FRAME_BYTES)
  }
  return file
}

/** Offset of the chunk that follows the format chunk in a WAV file of `buildWav`, in bytes. */
const SECOND_CHUNK_OFFSET = 36

/** Builds a WAV file of one second with a JUNK chunk of this size, which decoders skip. */
export function buildPaddedWav(paddingBytes: number): FormFile {
  const { bytes, filename, mediaType } = AUDIO.wav
  const header = Buffer.alloc(8)
  header.write('JUNK', 0, 'latin1')
  header.writeUInt32LE(paddingBytes, 4)
  const padding = Buffer.alloc(paddingBytes)
  const file = Buffer.concat([
    bytes.subarray(0, SECOND_CHUNK_OFFSET),
    header,
    padding,
    bytes.subarray(SECOND_CHUNK_OFFSET),
  ])
  file.writeUInt32LE(file.length - 8, 4)
  return { bytes: file, filename, mediaType }
}

const DURATION_MS = 1000

const AUDIO: Readonly<Record<AudioFormat, FormFile>> = {
  wav: { bytes: buildWav(DURATION_MS), filename: 'speech.wav', mediaType: 'audio/wav' },
  mp3: { bytes: buildMp3(DURATION_MS), filename: 'speech.mp3', mediaType: 'audio/mpeg' },
}

/** Returns an audio file of one second. */
export function buildAudioFile(format: AudioFormat): FormFile {
  return AUDIO[format]
}
