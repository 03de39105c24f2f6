/** First bytes of audio files, with the place where they stand. */
const SIGNATURES: readonly { readonly at: number; readonly hex: string }[] = [
  { at: 8, hex: '57415645' }, // RIFF….WAVE
  { at: 0, hex: '494433' }, // ID3 before MP3
  { at: 0, hex: '664c6143' }, // fLaC
  { at: 0, hex: '4f676753' }, // OggS
  { at: 0, hex: '1a45dfa3' }, // EBML: WebM
  { at: 4, hex: '66747970' }, // ftyp: MP4, M4A
]

/** Tells whether bytes begin as an audio file of a common format does. */
export function isKnownAudio(bytes: Buffer): boolean {
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0 // frame sync of MPEG audio
  return isFrame || SIGNATURES.some(({ at, hex }) => bytes.toString('hex', at, at + hex.length / 2) === hex)
}
