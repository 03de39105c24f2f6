/** Sends a request of every operation, one after the other. */
import { takeOperation } from './lib/choose-operation.ts'
import { sendEach } from './lib/send-each.ts'

const script = sendEach('smoke', (_settings, index) => takeOperation(index))

export const { options, handleSummary } = script
export default script.iterate
