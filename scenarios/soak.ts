/** Does mixed traffic stay as it was, for hours? Read it with the profile of the same name, and compare its beginning with its end. */
import { chooseOperation } from './lib/choose-operation.ts'
import { sendEach } from './lib/send-each.ts'

const script = sendEach('soak', chooseOperation)

export const { options, handleSummary } = script
export default script.iterate
