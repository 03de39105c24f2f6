/** Does it hold what a day brings: all operations, in the proportion of the weights? */
import { chooseOperation } from './lib/choose-operation.ts'
import { sendEach } from './lib/send-each.ts'

const script = sendEach('mixed', chooseOperation)

export const { options, handleSummary } = script
export default script.iterate
