const SAMPLE_RATE_HZ = 16_000
const BYTES_PER_SAMPLE = 2
const HEADER_BYTES = 44

/** A WAV file: 16-bit mono at 16 kHz with a quiet 440 Hz tone, the audio that a transcriber is least likely to refuse. */
export function buildWav(durationMs: number): Uint8Array {
  const samples = Math.round((durationMs / 1000) * SAMPLE_RATE_HZ)
  const dataBytes = samples * BYTES_PER_SAMPLE
  const file = Buffer.alloc(HEADER_BYTES + dataBytes)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4)
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
    const level = Math.round(4000 * Math.sin((2 * Math.PI * 440 * sample) / SAMPLE_RATE_HZ))
    file.writeInt16LE(level, HEADER_BYTES + sample * BYTES_PER_SAMPLE)
  }
  return file
}
