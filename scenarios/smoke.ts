/** Does every operation work at all? One after the other. */
import { operationInTurn } from './lib/choose-operation.ts'
import { sendEach } from './lib/send-each.ts'

const script = sendEach('smoke', (_settings, index) => operationInTurn(index))

export const { options, handleSummary } = script
export default script.iterate
