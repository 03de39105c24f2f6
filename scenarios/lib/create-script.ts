import type { Options } from 'k6/options'
import { prepareScenario, runIteration } from './prepare-scenario.ts'
import { buildRequest } from './requests.ts'
import { getOperation } from './scenarios.ts'
import { sendAndCheck } from './send-checked.ts'
import { createScriptContext } from './script-context.ts'
import { createSummaryHandler } from './summary.ts'

interface Script {
  readonly options: Options
  readonly handleSummary: ReturnType<typeof createSummaryHandler>
  iterate(): void
}

/**
 * Creates a k6 script that sends one request per iteration and checks each response. Call it only in k6's init context.
 */
export function createScript(scenario: string): Script {
  const load = prepareScenario(scenario)
  const sender = createScriptContext(load)
  return {
    options: load.options,
    handleSummary: createSummaryHandler(load),
    iterate() {
      runIteration(load, (task) =>
        sendAndCheck(buildRequest(getOperation(scenario, load.settings, task.index), sender, task)),
      )
    },
  }
}
