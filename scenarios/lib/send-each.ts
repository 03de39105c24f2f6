import type { Options } from 'k6/options'
import type { LoadOperation } from './load-operation.ts'
import type { LoadSettings } from './load-settings.ts'
import { prepare, takeTask } from './load.ts'
import { buildRequest } from './requests.ts'
import { sendChecked } from './send-checked.ts'
import { makeSender } from './sender.ts'
import { makeSummary } from './summary.ts'

/** The exports of a k6 script. */
interface Script {
  readonly options: Options
  readonly handleSummary: ReturnType<typeof makeSummary>
  iterate(): void
}

/**
 * Makes a script that sends one request for each task, with the checks of single responses only. For the init context.
 * @param scenario name of the script
 * @param choose the operation of the request with an index
 */
export function sendEach(scenario: string, choose: (settings: LoadSettings, index: number) => LoadOperation): Script {
  const load = prepare(scenario)
  const sender = makeSender(load.settings)
  return {
    options: load.options,
    handleSummary: makeSummary(load),
    iterate() {
      const task = takeTask(load)
      if (task !== null) sendChecked(buildRequest(choose(load.settings, task.index), sender, task))
    },
  }
}
