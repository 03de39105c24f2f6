/** Sends requests of all operations in turn. */
import { createScript } from './lib/create-script.ts'

const script = createScript('smoke')

export const { options, handleSummary } = script
export default script.iterate
