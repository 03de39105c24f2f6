/** Does it hold what a day brings: all operations, in the proportion of the weights? */
import { chooseOperation } from './lib/choose-operation.ts'
import { prepare, takeTask } from './lib/load.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const load = prepare('mixed')
const sender = makeSender(load.settings)

export const options = load.options
export const handleSummary = makeSummary(load)

export default function mixed(): void {
  const task = takeTask(load)
  if (task !== null) sendChecked(requestOf(chooseOperation(load.settings, task.index), sender, task))
}
