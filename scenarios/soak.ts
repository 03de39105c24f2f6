/** Sends mixed traffic for hours. Use the profile `soak`; the run compares the last quarter with the first. */
import { chooseOperation } from './lib/choose-operation.ts'
import { sendEach } from './lib/send-each.ts'

const script = sendEach('soak', chooseOperation)

export const { options, handleSummary } = script
export default script.iterate
