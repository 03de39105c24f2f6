/** Measures how long images take. */
import { sendEach } from './lib/send-each.ts'

const script = sendEach('images', () => 'images')

export const { options, handleSummary } = script
export default script.iterate
