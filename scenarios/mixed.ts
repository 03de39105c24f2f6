/** Tests typical traffic: a mix of all operations, by weight. */
import { chooseOperation } from './lib/choose-operation.ts'
import { createScript } from './lib/create-script.ts'

const script = createScript('mixed', chooseOperation)

export const { options, handleSummary } = script
export default script.iterate
