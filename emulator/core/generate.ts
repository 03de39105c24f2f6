import type { PreparedOperation } from '../operations/operation.ts'
import type { Account } from '../state/accounts.ts'
import { createTokenSchedule, selectLatency } from '../state/latency.ts'
import { createSeededRandom } from '../state/seeded-random.ts'
import type { ScheduledResponse } from './response.ts'
import type { CoreServices, ScriptedResponse } from './services.ts'

/**
 * Generates a response and its latency from the seed, the request, and the number of earlier identical requests with
 * the same key. The order in which different requests arrive has no influence.
 */
export function generate(
  work: PreparedOperation,
  account: Account,
  script: ScriptedResponse | undefined,
  core: CoreServices,
): ScheduledResponse {
  const { clock, load, requestCounter } = core
  const { seed, latency } = core.settings
  const { fingerprint, operation, model } = work
  const random = createSeededRandom(seed, fingerprint, requestCounter.next(account.id, fingerprint))
  const recorded = script?.kind === 'content' ? script : undefined
  const text = script?.kind === 'text' ? script.scripted : undefined
  const content = recorded?.content ?? work.generate(random, clock.unixSeconds(), text)
  const slowdown = 1 + latency.slowdownPerRequest * load.inFlight
  const schedule = recorded?.schedule ?? createTokenSchedule(selectLatency(latency, operation, model), slowdown, random)
  return { content, schedule }
}
