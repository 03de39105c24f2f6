/** How long does speech take? */
import { sendEach } from './lib/send-each.ts'

const script = sendEach('speech', () => 'speech')

export const { options, handleSummary } = script
export default script.iterate
