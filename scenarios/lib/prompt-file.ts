import { isJsonObject, toJsonObject } from '../../common/json-object.ts'
import { MAX_JSON_DEPTH, parseJson } from '../../common/parse-json.ts'
import { createSeededRandom } from './seeded-random.ts'

/** Members of the body of a chat request, keyed by name. */
export type ChatMembers = Readonly<Record<string, unknown>>

/** A message of a chat. Its content is a text, or a list of parts. */
export type ChatMessage = { readonly role: string; readonly content?: unknown } & ChatMembers

/** A chat request of a prompts file. */
export interface FilePrompt {
  readonly messages: readonly ChatMessage[]
  /** Further members of the body. */
  readonly members: ChatMembers
  /** Number of earlier requests of the same conversation. */
  readonly turn: number
}

/** Members that the run sets itself: its model, its scenario and its prompts determine them. */
const RUN_MEMBERS = ['model', 'messages', 'stream', 'stream_options'] as const

/** Members whose values limit the completion. */
export const LIMIT_MEMBERS = ['max_tokens', 'max_completion_tokens'] as const

/**
 * Parses a prompts file: JSON Lines in one of the formats of `readLine`. Returns the requests of each line.
 * @param hasStreams whether the run sends the chats as streams
 * @throws Error with one sentence that names the invalid line
 */
export function parsePrompts(text: string, hasStreams = false): FilePrompt[][] {
  const lines: FilePrompt[][] = []
  // Some editors write a byte order mark at the start of the file.
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    try {
      const requests = readLine(parseLine(line))
      const problem = hasStreams ? requests.map(({ members }) => findStreamProblem(members)).find(Boolean) : undefined
      if (problem !== undefined) throw new Error(problem)
      lines.push(requests)
    } catch (error) {
      throw new Error(`Line ${at + 1} ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
  if (lines.length === 0) throw new Error('The file has no lines: it needs one of JSON for each prompt.')
  return lines
}

/**
 * Returns all requests of a prompts file in a random order, which the seed determines. The requests of a conversation
 * remain adjacent and in order.
 */
export function orderPrompts(lines: readonly (readonly FilePrompt[])[], seed: number): FilePrompt[] {
  const placed = lines.map((requests, index) => ({ requests, at: createSeededRandom(seed, 'prompts', index) }))
  return placed.toSorted((a, b) => a.at - b.at).flatMap(({ requests }) => requests)
}

/** Returns the reason why members cannot be added to a body, as the end of a sentence, or undefined if they can. */
export function findMembersProblem(members: ChatMembers): string | undefined {
  const name = [...LIMIT_MEMBERS, 'n'].find((one) => members[one] !== undefined && !isPositive(members[one]))
  return name === undefined ? undefined : `has a value of ${name} that is not a whole number of at least 1.`
}

/**
 * Returns the reason why a stream cannot have these members, as the end of a sentence: the tokens and the end of a stream
 * are those of one choice.
 */
export function findStreamProblem({ n }: ChatMembers): string | undefined {
  return n === undefined || n === 1 ? undefined : 'has an n above 1, and a stream is measured with one choice.'
}

/** Returns a member that only the run may set, if there is one. */
export function findRunMember(members: ChatMembers): string | undefined {
  return RUN_MEMBERS.find((name) => name in members && name !== 'stream_options')
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

function parseLine(line: string): ChatMembers {
  let value: unknown
  try {
    value = parseJson(line)
  } catch {
    throw new Error(
      `is not JSON, or is nested more than ${MAX_JSON_DEPTH} deep: the file needs one JSON object on each line.`,
    )
  }
  if (!isJsonObject(value)) throw new Error('is not a JSON object.')
  return value
}

/**
 * Returns the requests of a line. Formats:
 * - `{"messages": […], "temperature": 0}`: a body, or the same as `body` of an OpenAI batch file
 * - `{"prompt": "…"}` or `{"text": "…"}`: a message of the user, and optionally `max_tokens`
 * - `{"turns": [{"role": "user", "content": "…"}, …]}`, or `conversations` with `from` and `value` as in ShareGPT: one
 *   request for each message of the user, with all messages before it
 */
function readLine(line: ChatMembers): FilePrompt[] {
  const { messages, prompt = line['text'], turns = line['conversations'] } = line
  if (isJsonObject(line['body'])) return readLine(line['body'])
  if (messages !== undefined)
    return [{ messages: readMessages(messages, 'messages'), members: readMembers(line), turn: 0 }]
  if (turns !== undefined) return readConversation(readMessages(turns, 'turns'))
  if (typeof prompt === 'string' && prompt !== '') {
    // The other members of a line are those of a data set, such as a category.
    const limits = LIMIT_MEMBERS.flatMap((name) => (name in line ? [[name, line[name]] as const] : []))
    const members = readMembers(Object.fromEntries(limits))
    return [{ messages: [{ role: 'user', content: prompt }], members, turn: 0 }]
  }
  throw new Error('has neither messages nor a prompt: write {"messages": [{"role": "user", "content": "Hello"}]}.')
}

function readMembers(line: ChatMembers): ChatMembers {
  const problem = findMembersProblem(line)
  if (problem !== undefined) throw new Error(problem)
  const names: readonly string[] = RUN_MEMBERS
  return Object.fromEntries(Object.entries(line).filter(([name]) => !names.includes(name)))
}

function readConversation(messages: readonly ChatMessage[]): FilePrompt[] {
  const ends = messages.flatMap(({ role }, at) => (role === 'user' ? [at + 1] : []))
  if (ends.length === 0) throw new Error('has a conversation without a message of the user.')
  return ends.map((end, turn) => ({ messages: messages.slice(0, end), members: {}, turn }))
}

/** Roles of messages in the format of ShareGPT. */
const SHARED_ROLES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['gpt', 'assistant'],
])

function readMessages(list: unknown, name: string): ChatMessage[] {
  if (!Array.isArray(list) || list.length === 0) throw new Error(`has no list of messages in ${name}.`)
  return list.map((message: unknown) => {
    const { from, value, role = from, ...others } = toJsonObject(message)
    if (typeof role !== 'string' || (value === undefined && Object.keys(others).length === 0)) {
      throw new Error(
        `has a message that is not like {"role": "user", "content": "Hello"} in ${name}. A conversation needs the messages of the assistant too.`,
      )
    }
    const { content = value } = others
    if (!isContent(content)) throw new Error(`has a message whose content is neither a text nor a list in ${name}.`)
    return { role: SHARED_ROLES.get(role) ?? role, ...(content === undefined ? {} : { content }), ...others }
  })
}

/** Returns whether a message can have this content. It can be absent beside tool calls. */
function isContent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string' || Array.isArray(value)
}
