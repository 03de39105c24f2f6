/** Tests typical traffic: a mix of all operations, by weight. */
import { createScript } from './lib/create-script.ts'

const script = createScript('mixed')

export const { options, handleSummary } = script
export default script.iterate
