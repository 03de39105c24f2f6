/** Measures the end-to-end latency of transcription requests. Each request uploads one second of audio. */
import { createScript } from './lib/create-script.ts'

const script = createScript('transcriptions')

export const { options, handleSummary } = script
export default script.iterate
