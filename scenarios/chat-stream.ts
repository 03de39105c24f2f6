/** Measures the token timing of streamed chat, and checks that streams are complete. */
import { createScript } from './lib/create-script.ts'

const script = createScript('chat-stream')

export const { options, handleSummary } = script
export default script.iterate
