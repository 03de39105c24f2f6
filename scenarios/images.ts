/** Measures the end-to-end latency of image requests. */
import { createScript } from './lib/create-script.ts'

const script = createScript('images')

export const { options, handleSummary } = script
export default script.iterate
