/**
 * Sends mixed traffic for hours, with the profile `soak`. The report compares the last quarter of the run with the
 * first.
 */
import { createScript } from './lib/create-script.ts'

const script = createScript('soak')

export const { options, handleSummary } = script
export default script.iterate
