import { isPresent, type Choice, parseCompletion, type Message, type Usage } from './completion.ts'

/** Number of characters of a delta above which the gateway splits it. */
const MAX_DELTA_CHARACTERS = 8

interface StreamHead {
  readonly id: string
  readonly created: number
  readonly asksForUsage: boolean
}

/**
 * Writes the stream of a chat anew: with its own ids and comments, CRLF, and other chunks. Drops unknown fields, and sends
 * usage only if the client asked for it. Throws if the upstream does not complete the stream.
 */
export async function* rewriteStream(body: AsyncIterable<Buffer>, head: StreamHead): AsyncGenerator<Buffer> {
  yield Buffer.from(': forwarded\r\n\r\n')
  let usage: Usage | undefined
  let model: string | undefined
  const unfinished = new Map<number, boolean>()
  const formatChunk = (choices: readonly object[], fields: object = {}) => {
    const chunk = { id: head.id, object: 'chat.completion.chunk', created: head.created, model, choices, ...fields }
    return Buffer.from(`data: ${JSON.stringify(chunk)}\r\n\r\n`)
  }
  for await (const events of parseEventData(body)) {
    const choices: Choice[] = []
    let isDone = false
    for (const data of events) {
      isDone ||= data === '[DONE]'
      if (isDone) break
      const chunk = parseCompletion(data)
      if (chunk === undefined) throw new Error('The upstream sent an event without a JSON object')
      if (isPresent(chunk.error)) {
        const error = { message: 'The upstream reported an error.', type: 'upstream_error', param: null, code: null }
        const data = Buffer.from(`data: ${JSON.stringify({ error })}\r\n\r\n`)
        yield Buffer.concat([...splitChoices(choices).map((choice) => formatChunk([choice])), data])
        return
      }
      model ??= chunk.model
      usage = chunk.usage ?? usage
      for (const choice of chunk.choices ?? []) addChoice(choices, choice)
    }
    for (const choice of splitChoices(choices)) {
      const { index = 0, finish_reason: reason } = choice
      unfinished.set(index, (unfinished.get(index) ?? true) && (reason ?? undefined) === undefined)
      yield formatChunk([choice])
    }
    if (isDone) break
  }
  if (unfinished.size === 0 || [...unfinished.values()].includes(true)) {
    throw new Error('The upstream ended the stream without a finish reason')
  }
  if (head.asksForUsage && usage !== undefined) yield formatChunk([], { usage: selectUsage(usage) })
  yield Buffer.from('data: [DONE]\r\n\r\n')
}

/** Adds a choice of a chunk, and merges its text with that of the choice before it. */
function addChoice(choices: Choice[], { index = 0, delta = {}, finish_reason: reason = null, logprobs }: Choice): void {
  const choice = { index, delta: selectMessage(delta), finish_reason: reason, ...(isPresent(logprobs) && { logprobs }) }
  const last = choices.at(-1)
  if (last !== undefined && isText(last) && isText(choice) && last.index === index) {
    choices[choices.length - 1] = { ...last, delta: { content: `${last.delta?.content}${choice.delta?.content}` } }
  } else if (Object.keys(choice.delta ?? {}).length > 0 || reason !== null) {
    choices.push(choice)
  }
}

function splitChoices(choices: readonly Choice[]): Choice[] {
  return choices.flatMap((choice) => {
    const characters = [...(choice.delta?.content ?? '')]
    if (!isText(choice) || characters.length <= MAX_DELTA_CHARACTERS) return [choice]
    const middle = Math.floor(characters.length / 2)
    const halves = [characters.slice(0, middle), characters.slice(middle)]
    return halves.map((half) => ({ ...choice, delta: { content: half.join('') } }))
  })
}

function isText({ delta = {}, finish_reason: reason, logprobs }: Choice): boolean {
  const names = Object.keys(delta)
  return names.length === 1 && typeof delta.content === 'string' && reason === null && logprobs === undefined
}

/** Drops fields of a message that neither the specification nor a parameter of the request defines. */
export function selectMessage({ role, content, refusal, tool_calls, function_call }: Message): Message {
  const entries = Object.entries({ role, content, refusal: refusal ?? undefined, tool_calls, function_call })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Keeps the three numbers that the specification defines. */
export function selectUsage({ prompt_tokens, completion_tokens, total_tokens }: Usage): object {
  return { prompt_tokens, completion_tokens, total_tokens }
}

/** Parses an event stream. Each item contains the data of the events that one write completed. */
async function* parseEventData(body: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder() // Keeps the bytes of an incomplete character, and omits the byte order mark.
  let rest = ''
  for await (const bytes of body) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n\r\n|\n\n|\r\r/)
    rest = events.pop() ?? ''
    const data = events.flatMap((event) => /(?:^|[\r\n])data: ?([^\r\n]*)/.exec(event)?.[1] ?? [])
    if (data.length > 0) yield data
  }
}
