import { isApiError, type ApiError } from '../core/api-errors.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import type { ChatOptions } from './chat-options.ts'
import { planCompletion, type Choices, type Completion, type CompletionSettings } from './completion.ts'
import type { ScriptedMessage } from './operation.ts'
import { truncateAtStopSequence } from './stop-sequences.ts'
import type { MessageGenerator } from './structured/message-generator.ts'

/**
 * Plans the choices of a chat request with `n` or other optional fields.
 * @param scripted scripted message that replaces the generated message of each choice
 * @param source generates a message with a tool call or JSON
 */
export function planChoices(
  options: ChatOptions,
  random: SeededRandom,
  settings: CompletionSettings,
  base: Parameters<typeof planCompletion>[2],
  scripted: ScriptedMessage | undefined,
  source: MessageGenerator | undefined,
): Choices | ApiError | Promise<Choices | ApiError> {
  const plan = (messages: readonly (ScriptedMessage | ApiError | undefined)[]) =>
    planMessages(options, random, settings, base, messages)
  const choices = Array.from({ length: options.choices }, () => scripted)
  if (scripted !== undefined || source === undefined) return plan(choices)
  return generateMessages(source, random, options.choices).then(plan)
}

/** Generates the messages of the choices one by one. Stops at an error, because a schema can take seconds per choice. */
export async function generateMessages(source: MessageGenerator, random: SeededRandom, count: number) {
  const messages: (ScriptedMessage | ApiError | undefined)[] = []
  while (messages.length < count && !isApiError(messages.at(-1))) messages.push(await source(random))
  return messages
}

/** @param messages message of each choice; undefined for ordinary text */
function planMessages(
  { choices, stop, topLogprobs }: ChatOptions,
  random: SeededRandom,
  settings: CompletionSettings,
  base: Parameters<typeof planCompletion>[2],
  messages: readonly (ScriptedMessage | ApiError | undefined)[],
): Choices | ApiError {
  const { seed, corpus } = settings
  const plan = (choice: number) => {
    const message = messages[choice]
    if (isApiError(message)) return message
    const planned = truncateAtStopSequence(planCompletion(random, settings, base, message), stop)
    if (topLogprobs === undefined) return planned
    return { ...planned, logprobs: { top: topLogprobs, seed, corpus, fingerprint: `${choice} ${planned.startToken}` } }
  }
  const first = plan(0)
  if (isApiError(first)) return first
  const planned: [Completion, ...Completion[]] = [first]
  while (planned.length < choices) {
    const next = plan(planned.length)
    if (isApiError(next)) return next
    planned.push(next)
  }
  return planned
}
