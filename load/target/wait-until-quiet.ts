import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadContext } from '../options/load-context.ts'
import type { LoadPlan } from '../plan/load-plan.ts'
import { buildTestRequest, chooseTestedOperation } from './find-missing-model.ts'
import type { OpenedTarget } from './open-target.ts'
import { createClient } from './target-client.ts'

/** Maximum time until the target serves the test request. */
const MAX_WAIT_MS = 60_000
const RETRY_MS = 1000
/** Maximum number of tokens of the test request. Some services reject smaller numbers. */
const TEST_TOKENS = 16

/**
 * Waits until a target has served the requests of an aborted run, because it may ignore that the client disconnected: until
 * it serves a small request, which queues behind them, and then for the duration of a response.
 */
export async function waitUntilQuiet(
  { options, scenario, settings }: LoadPlan,
  { url, keys }: Pick<OpenedTarget, 'url' | 'keys'>,
  { signal, proxy, responseMs }: Pick<LoadContext, 'signal' | 'proxy'> & { readonly responseMs: number },
): Promise<void> {
  const operation = chooseTestedOperation(scenario.operations)
  if (operation !== undefined) {
    const { path, body } = buildTestRequest(
      operation,
      settings.models[operation],
      Math.min(TEST_TOKENS, settings.maxTokens),
    )
    const end = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)])
    using client = await createClient(url, keys[scenario.key], options, { timeoutMs: MAX_WAIT_MS, signal: end, proxy })
    const isServed = () =>
      client(path, body).then(
        ({ status }) => status !== 429 && status < 500,
        () => false,
      )
    while (!end.aborted && !(await isServed())) await pause(RETRY_MS, end)
  }
  await pause(responseMs, signal)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
