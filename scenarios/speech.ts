/** Measures how long speech takes. */
import { sendEach } from './lib/send-each.ts'

const script = sendEach('speech', () => 'speech')

export const { options, handleSummary } = script
export default script.iterate
