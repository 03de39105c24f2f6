import type { PlannedChat } from './planned-requests.ts'
import { type Ask, wordsFor } from '../target/target-client.ts'

/** What came of counting prompts. */
export interface PromptCount {
  /** All of them together; null where one could not be counted. */
  readonly promptTokens: number | null
  /** Tokens that were charged for it, by usage. */
  readonly spentTokens: number
  /** One sentence, where they could not be counted. */
  readonly problem?: string
}

/** More than any prompt has. */
const MOST_TOKENS = 1e9

/**
 * Sends each prompt once, with an answer of one token, and adds up what `usage` says of it: what a prompt counts is known to its
 * target alone, as tokenizers differ.
 * @param atOnce most requests at once
 */
export async function countPrompts(
  chats: Iterable<PlannedChat>,
  { ask, model, atOnce, timeoutMs }: { ask: Ask; model: string; atOnce: number; timeoutMs: number },
): Promise<PromptCount> {
  const rest = chats[Symbol.iterator]()
  let [promptTokens, spentTokens] = [0, 0]
  let problem: string | undefined
  const countOn = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && problem === undefined; next = rest.next()) {
      try {
        const usage = await countOne(next.value, ask, model)
        promptTokens += usage.prompt
        spentTokens += usage.prompt + usage.completion
      } catch (error) {
        problem ??= `Prompts could not be counted beforehand (${wordsFor(error, timeoutMs)}).`
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, countOn))
  return problem === undefined ? { promptTokens, spentTokens } : { promptTokens: null, spentTokens, problem }
}

async function countOne({ prompt }: PlannedChat, ask: Ask, model: string) {
  const messages = [{ role: 'user', content: prompt }]
  const { status, text } = await ask('chat/completions', { model, messages, max_tokens: 1 })
  if (status !== 200) throw new Error(`status ${status}`)
  const usage = usageOf(text)
  if (usage === undefined) throw new Error('an answer tells no usage')
  return usage
}

function usageOf(text: string): { prompt: number; completion: number } | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return undefined
  }
  // What the target sent: each member may be anything, or absent.
  const { prompt_tokens: prompt, completion_tokens: completion } =
    (answer as { usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } } | null)?.usage ?? {}
  return isCount(prompt) && isCount(completion) ? { prompt, completion } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS
}
