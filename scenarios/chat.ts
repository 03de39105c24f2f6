/** Measures the end-to-end latency of chat without streaming. */
import { createScript } from './lib/create-script.ts'

const script = createScript('chat', () => 'chat')

export const { options, handleSummary } = script
export default script.iterate
