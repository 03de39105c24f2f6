import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { isApiError, type ApiError } from '../core/api-errors.ts'
import type { EmulatorSettings } from '../options/settings.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import type { ChatOptions } from './chat-options.ts'
import {
  renderCompletionBody,
  createEventFormatter,
  createStreamData,
  planCompletion,
  renderChoice,
  type Completion,
} from './completion.ts'
import type { GeneratedResponse, GeneratedStream, ScriptedMessage } from './operation.ts'
import { truncateAtStopSequence } from './stop-sequences.ts'
import type { MessageGenerator } from './structured/message-generator.ts'

type Choices = readonly [Completion, ...Completion[]]

/**
 * Plans the choices of a chat request with `n` or other optional fields.
 * @param scripted scripted message that replaces the generated message of each choice
 * @param source generates a message with a tool call or JSON
 */
export function planChoices(
  options: ChatOptions,
  random: SeededRandom,
  settings: EmulatorSettings,
  base: Parameters<typeof planCompletion>[3],
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
  { choices, maxTokens, stop, topLogprobs }: ChatOptions,
  random: SeededRandom,
  { answerTokens, seed }: EmulatorSettings,
  base: Parameters<typeof planCompletion>[3],
  messages: readonly (ScriptedMessage | ApiError | undefined)[],
): Choices | ApiError {
  const plan = (choice: number) => {
    const message = messages[choice]
    if (isApiError(message)) return message
    const planned = truncateAtStopSequence(planCompletion(random, answerTokens, maxTokens, base, message), stop)
    if (topLogprobs === undefined) return planned
    return { ...planned, logprobs: { top: topLogprobs, seed, fingerprint: `${choice} ${planned.startToken}` } }
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

/** Returns the first choice with the completion tokens of all choices. The prompt is counted once. */
function sumCompletionTokens(first: Completion, others: readonly Completion[]): Completion {
  const completionTokens = others.reduce((sum, choice) => sum + choice.completionTokens, first.completionTokens)
  return { ...first, completionTokens }
}

/** Creates a body with several choices. The body is due with the last token of the longest choice. */
export function createChoicesBody(first: Completion, others: readonly Completion[]): GeneratedResponse {
  const choices = [first, ...others]
  const longest = Math.max(...choices.map(({ completionTokens }) => completionTokens))
  return renderCompletionBody(sumCompletionTokens(first, others), choices.map(renderChoice).join(','), longest - 1)
}

/**
 * Creates a stream with several choices. The choices alternate token by token, as if they were generated in parallel.
 */
export function createChoicesStream(
  first: Completion,
  others: readonly Completion[],
  includeUsage: boolean,
  behaviour: BehaviourOptions,
): GeneratedStream {
  const choices = [first, ...others]
  const total = sumCompletionTokens(first, others)
  const data = choices.map((choice, index) => createStreamData(choice, index, false, behaviour))
  const usage = createStreamData(total, 0, includeUsage, behaviour).closing.slice(1)
  const opening = data.flatMap((one) => one.opening)
  const closing = [
    ...data.flatMap((one) => one.closing),
    ...usage,
    ...(behaviour['done-marker'] === 'done' ? ['[DONE]'] : []),
  ]
  const order = interleave(choices)
  const contentEnd = opening.length + order.length
  const hasLines = choices.some(({ parts }) => parts !== undefined)
  const format = createEventFormatter(behaviour, hasLines)
  return {
    frameCount: contentEnd + closing.length,
    frame(index) {
      const place = order[index - opening.length]
      const choice = place === undefined ? undefined : choices[place.choice]
      if (place === undefined || choice === undefined) {
        return format(opening[index] ?? closing[index - contentEnd] ?? '', index)
      }
      return format(data[place.choice]?.content(place.token) ?? '', index)
    },
    getTokenIndex: (index) => order[Math.min(index - opening.length, order.length - 1)]?.token ?? 0,
    usedTokensAfter: (framesSent) =>
      total.promptTokens + Math.min(Math.max(framesSent - opening.length, 0), order.length),
  }
}

/** Position of a token: the choice and the index of the token in it. */
interface TokenPosition {
  readonly choice: number
  readonly token: number
}

function interleave(choices: readonly Completion[]): readonly TokenPosition[] {
  const places = choices.flatMap(({ completionTokens }, choice) =>
    Array.from({ length: completionTokens }, (_, token): TokenPosition => ({ choice, token })),
  )
  return places.toSorted((one, other) => one.token - other.token || one.choice - other.choice)
}
