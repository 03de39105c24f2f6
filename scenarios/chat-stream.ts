/** How fast do streamed answers come, and do they stay whole? */
import { prepare, takeTask } from './lib/load.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const load = prepare('chat-stream')
const sender = makeSender(load.settings)

export const options = load.options
export const handleSummary = makeSummary(load)

export default function chatStream(): void {
  const task = takeTask(load)
  if (task !== null) sendChecked(requestOf('chat-stream', sender, task))
}
