/** Streamed chat: token timing, and complete streams. */
import { sendEach } from './lib/send-each.ts'

const script = sendEach('chat-stream', () => 'chat-stream')

export const { options, handleSummary } = script
export default script.iterate
