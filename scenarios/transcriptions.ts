/** How long does it take to read audio? Each request uploads a second of it. */
import { sendEach } from './lib/send-each.ts'

const script = sendEach('transcriptions', () => 'transcriptions')

export const { options, handleSummary } = script
export default script.iterate
