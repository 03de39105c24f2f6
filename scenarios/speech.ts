/** How long does speech take? */
import { prepare, takeTask } from './lib/load.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const load = prepare('speech')
const sender = makeSender(load.settings)

export const options = load.options
export const handleSummary = makeSummary(load)

export default function speech(): void {
  const task = takeTask(load)
  if (task !== null) sendChecked(requestOf('speech', sender, task))
}
