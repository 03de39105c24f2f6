import { toJsonObject } from '../../common/json-object.ts'
import type { TrafficSettings } from './load-settings.ts'
import { type ChatMembers, type ChatMessage, type FilePrompt, LIMIT_MEMBERS } from './prompt-file.ts'
import { addNonce, buildPrompt, getMaxPromptTokens } from './prompts.ts'

/** The body of a chat request without the members for streams, and upper bounds of its tokens. */
export interface PlannedChat {
  readonly body: ChatMembers & { readonly model: string; readonly messages: readonly ChatMessage[] }
  readonly maxPromptTokens: number
  /** Upper bound for all choices together. */
  readonly maxCompletionTokens: number
  /** Whether the messages contain parts whose tokens have no upper bound, such as images. */
  readonly isUnbounded: boolean
}

interface PlannedLengths {
  /** Index of the request in the run. */
  readonly index: number
  /** Token counts of the request in the trace. */
  readonly promptTokens?: number | null | undefined
  readonly outputTokens?: number | null | undefined
}

/**
 * Builds the chat with an index. Without a prompts file, a prompt has about `promptTokens` words, or else `promptWords`.
 * @param prompts requests of the prompts file, which repeat from the start after the last one
 */
export function buildChat(
  settings: Pick<TrafficSettings, 'seed' | 'nonce' | 'promptWords' | 'maxTokens' | 'body' | 'models'>,
  prompts: readonly FilePrompt[],
  { index, promptTokens, outputTokens }: PlannedLengths,
): PlannedChat {
  const given = prompts[index % prompts.length]
  const { [STREAM_OPTIONS]: _, ...ownMembers } = settings.body ?? {}
  const members = mergeMembers(given?.members ?? {}, ownMembers)
  const limits = limitsOf(members)
  const maxTokens = outputTokens ?? settings.maxTokens
  const { seed, nonce } = settings
  const messages =
    given === undefined
      ? [{ role: 'user', content: buildPrompt(seed, index, promptTokens ?? settings.promptWords, nonce) }]
      : // All turns of a conversation have the same nonce, so that a target can reuse the earlier turns from its cache.
        nonce
        ? addNonce(given.messages, seed, index - given.turn)
        : given.messages
  const body = {
    model: settings.models.chat,
    messages,
    ...(limits.length > 0 ? {} : { max_tokens: maxTokens }),
    ...members,
  }
  const choices = typeof members['n'] === 'number' ? members['n'] : 1
  return {
    body,
    // Tools and formats of the response can be part of the prompt, too.
    maxPromptTokens: messages.reduce((sum, message) => sum + boundTokens(message), 0) + boundMembers(members),
    maxCompletionTokens: choices * Math.max(...(limits.length > 0 ? limits : [maxTokens])),
    isUnbounded: messages.some(({ content }) => Array.isArray(content) && content.some((part) => !isText(part))),
  }
}

/** Member of `body` that only streams have. */
const STREAM_OPTIONS = 'stream_options'

/** Returns the `stream_options` of a stream: a request for usage, or the value in `body`. Null: the stream has none. */
export function selectStreamOptions({ body = {} }: Pick<TrafficSettings, 'body'>): unknown {
  return STREAM_OPTIONS in body ? body[STREAM_OPTIONS] : { include_usage: true }
}

/** Returns whether streams request usage. */
export function requestsUsage(settings: Pick<TrafficSettings, 'body'>): boolean {
  return toJsonObject(selectStreamOptions(settings))['include_usage'] === true
}

/** Merges members, of which the later ones have precedence. A later limit replaces both names of an earlier one. */
function mergeMembers(earlier: ChatMembers, later: ChatMembers): ChatMembers {
  if (limitsOf(later).length === 0) return { ...earlier, ...later }
  const { max_tokens: _, max_completion_tokens: _other, ...others } = earlier
  return { ...others, ...later }
}

function limitsOf(members: ChatMembers): number[] {
  return LIMIT_MEMBERS.flatMap((name) => (typeof members[name] === 'number' ? [members[name]] : []))
}

function boundTokens(message: ChatMessage): number {
  const { role: _, content, ...others } = message
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '')
  return getMaxPromptTokens(text) + boundMembers(others)
}

function boundMembers(members: ChatMembers): number {
  return Object.keys(members).length === 0 ? 0 : getMaxPromptTokens(JSON.stringify(members))
}

function isText(part: unknown): boolean {
  return toJsonObject(part)['type'] === 'text'
}
