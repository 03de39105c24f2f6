/** Tests a typical mix: all operations, in proportion to their weights. */
import { chooseOperation } from './lib/choose-operation.ts'
import { sendEach } from './lib/send-each.ts'

const script = sendEach('mixed', chooseOperation)

export const { options, handleSummary } = script
export default script.iterate
