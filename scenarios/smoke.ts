/** Does every operation work at all? One after the other. */
import { operationInTurn } from './lib/choose-operation.ts'
import { prepare, takeTask } from './lib/load.ts'
import { requestOf } from './lib/requests.ts'
import { sendChecked } from './lib/send-checked.ts'
import { makeSender } from './lib/sender.ts'
import { makeSummary } from './lib/summary.ts'

const load = prepare('smoke')
const sender = makeSender(load.settings)

export const options = load.options
export const handleSummary = makeSummary(load)

export default function smoke(): void {
  const task = takeTask(load)
  if (task !== null) sendChecked(requestOf(operationInTurn(task.index), sender, task))
}
