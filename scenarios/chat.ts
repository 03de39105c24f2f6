/** Chat without streaming: end-to-end latency. */
import { sendEach } from './lib/send-each.ts'

const script = sendEach('chat', () => 'chat')

export const { options, handleSummary } = script
export default script.iterate
