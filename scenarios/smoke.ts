/** Sends requests of all operations in turn. */
import { getOperationInTurn } from './lib/choose-operation.ts'
import { createScript } from './lib/create-script.ts'

const script = createScript('smoke', (_settings, index) => getOperationInTurn(index))

export const { options, handleSummary } = script
export default script.iterate
