/** Sends mixed traffic for hours. Use the profile `soak`. The run compares its last quarter with its first. */
import { chooseOperation } from './lib/choose-operation.ts'
import { createScript } from './lib/create-script.ts'

const script = createScript('soak', chooseOperation)

export const { options, handleSummary } = script
export default script.iterate
