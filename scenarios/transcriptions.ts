/** How long does it take to read audio? Each request uploads a second of it. */
import { prepare, takeTask } from './lib/load.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const load = prepare('transcriptions')
const sender = makeSender(load.settings)

export const options = load.options
export const handleSummary = makeSummary(load)

export default function transcriptions(): void {
  const task = takeTask(load)
  if (task !== null) sendChecked(requestOf('transcriptions', sender, task))
}
