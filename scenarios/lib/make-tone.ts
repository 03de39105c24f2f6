const SAMPLES_PER_S = 8000
const HEADER_BYTES = 44

/**
 * Builds a WAV file (8 kHz, 16 bit, mono) with a tone that fades in and out. Transcription requests need audio that
 * every service can decode, but no particular text.
 */
export function makeTone(seconds: number, hertz: number): Uint8Array {
  const samples = Math.round(seconds * SAMPLES_PER_S)
  const bytes = new Uint8Array(HEADER_BYTES + samples * 2)
  const view = new DataView(bytes.buffer)
  writeHeader(bytes, view, samples * 2)
  for (let at = 0; at < samples; at += 1) {
    const loudness = Math.sin((Math.PI * at) / samples) * 0.4
    const sample = Math.round(32_767 * loudness * Math.sin((2 * Math.PI * hertz * at) / SAMPLES_PER_S))
    view.setInt16(HEADER_BYTES + at * 2, sample, true)
  }
  return bytes
}

function writeHeader(bytes: Uint8Array, view: DataView, dataBytes: number): void {
  const word = (at: number, text: string) =>
    bytes.set(
      [...text].map((letter) => letter.charCodeAt(0)),
      at,
    )
  word(0, 'RIFF')
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true)
  word(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true) // Audio format: PCM.
  view.setUint16(22, 1, true) // Number of channels.
  view.setUint32(24, SAMPLES_PER_S, true)
  view.setUint32(28, SAMPLES_PER_S * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  word(36, 'data')
  view.setUint32(40, dataBytes, true)
}
