/** Measures how long transcriptions take. Each request uploads one second of audio. */
import { sendEach } from './lib/send-each.ts'

const script = sendEach('transcriptions', () => 'transcriptions')

export const { options, handleSummary } = script
export default script.iterate
