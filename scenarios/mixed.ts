/** Tests typical traffic: all operations, in proportion to their weights. */
import { chooseOperation } from './lib/choose-operation.ts'
import { createScript } from './lib/create-script.ts'

const script = createScript('mixed', chooseOperation)

export const { options, handleSummary } = script
export default script.iterate
