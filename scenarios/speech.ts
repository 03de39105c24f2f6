/** Measures the end-to-end latency of speech requests. */
import { createScript } from './lib/create-script.ts'

const script = createScript('speech')

export const { options, handleSummary } = script
export default script.iterate
