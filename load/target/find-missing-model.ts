import type { LoadFinding } from '../findings/finding.ts'
import type { LoadContext } from '../options/load-context.ts'
import { selectModels } from '../options/load-options.ts'
import type { LoadPlan } from '../plan/load-plan.ts'
import type { OpenedTarget } from './open-target.ts'
import { createClient, DEFAULT_TIMEOUT_MS } from './target-client.ts'

/** Statuses with which services reject a request for a model that they do not list. */
const REJECTIONS_OF_UNLISTED: readonly number[] = [400, 403, 404, 422]

/** Statuses that reject the model or the base URL. Without a list, other statuses may have other reasons. */
const REJECTIONS_WITHOUT_LIST: readonly number[] = [404]

/** Operations whose requests are small, in the order in which one is chosen for the test request. */
const TESTED_OPERATIONS = ['chat', 'speech', 'images'] as const

/** Maximum number of models of the target that the finding contains. */
const MAX_SHOWN_MODELS = 5

type TestedOperation = (typeof TESTED_OPERATIONS)[number]

/**
 * Finds a model of the plan that the target does not have, so that the run can end before the load. A target may serve a
 * model that it does not list, such as an alias. If the list lacks a model, or if there is no list, the function
 * therefore sends one small request with the model. Without a key, it always sends the request, because a target that
 * lists its models to everybody may require a key for other requests.
 */
export async function findMissingModel(
  { options, scenario, settings }: LoadPlan,
  { url, keys, listed }: Pick<OpenedTarget, 'url' | 'keys' | 'listed'>,
  { signal, proxy, onPhase }: Pick<LoadContext, 'signal' | 'proxy' | 'onPhase'>,
): Promise<LoadFinding | undefined> {
  // The keys of other scenarios belong to accounts whose balance or limit the run measures.
  if (scenario.key !== 'funded') return undefined
  const isKeyless = keys.funded === undefined
  const operation = chooseTestedOperation(
    scenario.operations,
    (one) => isKeyless || !listed.includes(settings.models[one]),
  )
  if (operation === undefined) return undefined
  const model = settings.models[operation]
  onPhase?.({ name: 'testing-model', progress: model })
  const { path, body } = buildTestRequest(operation, model, settings.maxTokens)
  using client = await createClient(url, keys.funded, options, { timeoutMs: chooseTimeoutMs(options), signal, proxy })
  const status = await client(path, body).then(
    (response) => response.status,
    () => undefined,
  )
  if (isKeyless && (status === 401 || status === 403)) return { code: 'target-requires-key', params: { target: url } }
  if (listed.includes(model)) return undefined
  const rejections = listed.length === 0 ? REJECTIONS_WITHOUT_LIST : REJECTIONS_OF_UNLISTED
  if (status === undefined || !rejections.includes(status)) return undefined
  const isDefault = selectModels(options)[operation] === undefined
  const shown = listed.slice(0, MAX_SHOWN_MODELS)
  return {
    code: 'model-missing',
    params: { operation, model, isDefault, status, listed: shown, more: listed.length - shown.length },
  }
}

/**
 * Chooses the timeout of the test request. A rejection arrives soon, so a slow response does not delay the load, nor
 * make it miss the time at which all segments start.
 */
function chooseTimeoutMs({ timeoutMs, startAtUnixMs }: LoadPlan['options']): number {
  const untilStartMs = startAtUnixMs === undefined ? Infinity : startAtUnixMs - Date.now()
  return Math.max(1, Math.floor(Math.min(timeoutMs, DEFAULT_TIMEOUT_MS, untilStartMs / 2)))
}

/** Chooses the operation of a small request, or returns undefined if the scenario sends none of these operations. */
export function chooseTestedOperation(
  sent: readonly string[],
  accepts: (operation: TestedOperation) => boolean = () => true,
): TestedOperation | undefined {
  return TESTED_OPERATIONS.find((operation) => isSent(operation, sent) && accepts(operation))
}

function isSent(operation: TestedOperation, sent: readonly string[]): boolean {
  return sent.includes(operation) || (operation === 'chat' && sent.includes('chat-stream'))
}

export function buildTestRequest(operation: TestedOperation, model: string, maxTokens: number) {
  switch (operation) {
    case 'chat': {
      const messages = [{ role: 'user', content: 'Hello' }]
      return { path: 'chat/completions', body: { model, messages, max_tokens: maxTokens } }
    }
    case 'speech':
      return { path: 'audio/speech', body: { model, input: 'Hello' } }
    case 'images':
      return { path: 'images/generations', body: { model, prompt: 'A circle', n: 1 } }
  }
}
