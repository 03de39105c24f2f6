import { nameProperty } from '../../common/options/invalid-option-error.ts'
import { getUnitsPerToken } from '../../scenarios/lib/credits.ts'
import { type CostEstimate, estimateCost } from '../credits/cost-estimate.ts'
import { formatUnits } from '../credits/units.ts'
import type { OptionNameFormatter } from '../findings/define.ts'
import type { LoadContext } from '../options/load-context.ts'
import type { OpenedTarget } from '../target/open-target.ts'
import { classifyRequestError, describeRequestFailure, type RequestFailure } from '../target/request-failure.ts'
import { createClient, type TargetClient } from '../target/target-client.ts'
import type { LoadPlan } from './load-plan.ts'
import type { PlannedChat } from '../../scenarios/lib/chat-body.ts'
import { LIMIT_MEMBERS } from '../../scenarios/lib/prompt-file.ts'
import { planChatRequests } from './planned-requests.ts'

/** Maximum number of prompts that an emulator counts before a run, because each prompt takes one request. */
const MAX_COUNTED = 2000
const CONCURRENCY = 8

/** A plan whose cost estimate uses exact prompt tokens if the prompts could be counted. */
export interface CountedPlan {
  readonly plan: LoadPlan
  /** Notes on the count, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Counts the prompt tokens of a plan before the run, so that its cost estimate contains the exact number. If the target is an emulator,
 * a second emulator counts them; any other target counts them itself if `countPrompts` is set.
 * @param target undefined if the run will start an emulator
 */
export async function countPlanPrompts(
  plan: LoadPlan,
  context: Pick<LoadContext, 'startEmbedded' | 'onPhase' | 'signal' | 'nameOption' | 'proxy'>,
  target?: Pick<OpenedTarget, 'url' | 'keys' | 'entry'>,
): Promise<CountedPlan> {
  if (plan.estimate.prompts === 'counted' || !plan.options.credits) return { plan, notes: [] }
  if (target === undefined || target.entry.isEmulator) return { plan: await countAtEmulator(plan, context), notes: [] }
  if (plan.options.countPrompts !== true) return { plan, notes: [] }
  context.onPhase?.({ name: 'counting' })
  return countAtTarget(plan, {
    url: target.url,
    key: target.keys[plan.scenario.key],
    signal: context.signal,
    proxy: context.proxy,
    name: context.nameOption ?? nameProperty,
  })
}

/** Counts the prompts with an emulator that it starts for this purpose. The target receives no requests. */
async function countAtEmulator(
  plan: LoadPlan,
  { startEmbedded, signal }: Pick<LoadContext, 'startEmbedded' | 'signal'>,
): Promise<LoadPlan> {
  const chats = chatRequests(plan.estimate)
  if (chats === 0 || chats > MAX_COUNTED) return plan
  const emulator = await startEmbedded('instant')
  try {
    using client = await createClient(emulator.url, emulator.keys.funded, {}, { connections: CONCURRENCY, signal })
    return withPromptCount(plan, await countAll(plan, client))
  } finally {
    await emulator.close()
  }
}

/** Counts the prompts by sending them to the target, and subtracts the cost from the spend limit. */
async function countAtTarget(
  plan: LoadPlan,
  {
    url,
    key,
    signal,
    proxy,
    name,
  }: Pick<LoadContext, 'signal' | 'proxy'> & {
    readonly url: string
    readonly key: string | undefined
    readonly name: OptionNameFormatter
  },
): Promise<CountedPlan> {
  const { options, settings } = plan
  if (calculateMaxCountingUnits(plan) > (settings.extension.maxUnits ?? Infinity)) {
    return {
      plan,
      notes: [`Prompts were not counted beforehand, because counting might cost more than ${name('maxCredits')}.`],
    }
  }
  using client = await createClient(url, key, options, {
    connections: CONCURRENCY,
    timeoutMs: options.timeoutMs,
    signal,
    proxy,
  })
  const counted = await countAll(plan, client)
  const spentUnits = counted.spentTokens * (getUnitsPerToken(settings.models.chat) ?? 0)
  return {
    plan: subtractFromLimit(withPromptCount(plan, counted), spentUnits),
    notes: [
      ...(spentUnits === 0
        ? []
        : [
            `Counting prompts beforehand cost another ${formatUnits(spentUnits)} credits, which the counted credits do not include.`,
          ]),
      ...(counted.failure === undefined || signal.aborted
        ? []
        : [`Cannot count prompts beforehand: ${describeRequestFailure(counted.failure, name)}.`]),
    ],
  }
}

/**
 * Returns an upper bound of the cost of counting prompts with the target, in units. Each prompt is sent once, with a
 * completion of one token.
 */
export function calculateMaxCountingUnits({ options, estimate, settings }: LoadPlan): number {
  if (options.countPrompts !== true || options.target === undefined) return 0
  return (estimate.chatTokens.prompt + chatRequests(estimate)) * (getUnitsPerToken(settings.models.chat) ?? 0)
}

/** Returns an upper bound of the number of chat requests: a warm-up can consist of chats only. */
function chatRequests({ requests, warmUpRequests }: CostEstimate): number {
  return (requests?.chat ?? 0) + (requests?.['chat-stream'] ?? 0) + (warmUpRequests ?? 0)
}

/**
 * Counts all prompts of a plan. Generates each prompt just before sending it, because all prompts of a long run would
 * not fit into memory.
 */
function countAll(plan: LoadPlan, client: TargetClient): Promise<PromptCount> {
  const { scenario, timeoutMs } = plan.options
  return countPrompts(planChatRequests(scenario, plan), { client, concurrency: CONCURRENCY, timeoutMs })
}

function withPromptCount(plan: LoadPlan, { promptTokens }: PromptCount): LoadPlan {
  if (promptTokens === null) return plan
  const chatTokens = { ...plan.estimate.chatTokens, prompt: promptTokens }
  return { ...plan, estimate: estimateCost({ ...plan.estimate, chatTokens }, 'counted') }
}

function subtractFromLimit(plan: LoadPlan, units: number): LoadPlan {
  const { settings } = plan
  const { maxUnits } = settings.extension
  if (maxUnits === undefined) return plan
  const extension = { ...settings.extension, maxUnits: Math.max(0, maxUnits - units) }
  return { ...plan, settings: { ...settings, extension } }
}

export interface PromptCount {
  /** Number of tokens of all prompts, or null if a prompt could not be counted. */
  readonly promptTokens: number | null
  /** Tokens that the target charged for counting, according to `usage`. */
  readonly spentTokens: number
  /** The reason why the prompts could not be counted. */
  readonly failure?: RequestFailure
}

/** Maximum plausible token count of a response. A larger count is an error of the target. */
const MAX_TOKENS = 1e9

/**
 * Sends each prompt once with `max_tokens` 1, and adds up the prompt tokens of `usage`, because each target has its own
 * tokenizer.
 */
export async function countPrompts(
  chats: Iterable<Pick<PlannedChat, 'body'>>,
  settings: { client: TargetClient; concurrency: number; timeoutMs: number },
): Promise<PromptCount> {
  const { client, concurrency, timeoutMs } = settings
  const rest = chats[Symbol.iterator]()
  let [promptTokens, spentTokens] = [0, 0]
  let failure: RequestFailure | undefined
  const countNext = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && failure === undefined; next = rest.next()) {
      try {
        const usage = await countPrompt(next.value, client)
        promptTokens += usage.prompt
        spentTokens += usage.prompt + usage.completion
      } catch (error) {
        failure ??= classifyRequestError(error, timeoutMs)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, countNext))
  return failure === undefined ? { promptTokens, spentTokens } : { promptTokens: null, spentTokens, failure }
}

async function countPrompt({ body }: Pick<PlannedChat, 'body'>, client: TargetClient) {
  const limits = [...LIMIT_MEMBERS, 'n'].filter((name) => name in body).map((name) => [name, 1])
  const { status, text } = await client('chat/completions', { ...body, ...Object.fromEntries(limits) })
  if (status !== 200) throw new Error(`status ${status}`)
  const usage = usageOf(text)
  if (usage === undefined) throw new Error('a response without usage')
  return usage
}

function usageOf(text: string): { prompt: number; completion: number } | undefined {
  let response: unknown
  try {
    response = JSON.parse(text)
  } catch {
    return undefined
  }
  // The target may respond with any JSON, so each field may be absent or have any type.
  const { prompt_tokens: prompt, completion_tokens: completion } =
    (response as { usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } } | null)?.usage ?? {}
  return isCount(prompt) && isCount(completion) ? { prompt, completion } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS
}
