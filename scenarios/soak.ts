/** Does mixed traffic stay as it was, for hours? Read it with the profile of the same name, and compare its beginning with its end. */
import { chooseOperation } from './lib/choose-operation.ts'
import { prepare, takeTask } from './lib/load.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const load = prepare('soak')
const sender = makeSender(load.settings)

export const options = load.options
export const handleSummary = makeSummary(load)

export default function soak(): void {
  const task = takeTask(load)
  if (task !== null) sendChecked(requestOf(chooseOperation(load.settings, task.index), sender, task))
}
