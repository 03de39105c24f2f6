/** Measures the end-to-end latency of non-streaming chat. */
import { createScript } from './lib/create-script.ts'

const script = createScript('chat')

export const { options, handleSummary } = script
export default script.iterate
