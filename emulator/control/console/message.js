// Reads the bodies of a log entry.

/** Maximum share of control characters in a text. A body above it is shown as binary. */
const MAX_BINARY_SHARE = 0.02

/**
 * Parses a body.
 * @returns `{ kind, text }`: indented JSON, `events` as they were sent, other `text`, or `binary` without a text
 */
export function parseBody(body) {
  const sample = body.slice(0, 4000)
  const unreadable = sample.replaceAll(/[^\u0000-\u0008\u000E-\u001F\uFFFD]/g, '').length
  if (unreadable > sample.length * MAX_BINARY_SHARE) return { kind: 'binary', text: '' }
  const json = parseJson(body)
  if (json !== undefined) return { kind: 'json', text: JSON.stringify(json, null, 2), json }
  return { kind: /^(data|event|id|:)/.test(body) ? 'events' : 'text', text: body }
}

function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads the message of a chat response.
 * @param parsed result of parseBody
 * @returns reasoning, text, tool calls and finish reason, or undefined if the body has no message
 */
export function readMessage({ kind, json, text }) {
  if (kind === 'json') {
    const choice = json?.choices?.[0]
    if (choice?.message === undefined) return undefined
    const calls = (choice.message.tool_calls ?? []).map(({ function: called }) => called)
    const { content: message, reasoning_content: reasoning } = choice.message
    const contents = { reasoning: reasoning ?? '', text: message ?? '', calls }
    return { ...contents, finishReason: choice.finish_reason, usage: json.usage }
  }
  return kind === 'events' ? joinChunks(text) : undefined
}

/** Joins the chunks of a streamed chat response. A chunk that the log cut off is left out. */
function joinChunks(text) {
  const joined = {
    reasoning: '',
    text: '',
    calls: /** @type {{ name: string, arguments: string }[]} */ ([]),
    finishReason: null,
    usage: undefined,
    chunks: 0,
  }
  for (const line of text.split(/\r?\n|\r/)) {
    const chunk = line.startsWith('data:') ? parseJson(line.slice(5)) : undefined
    if (chunk?.object !== 'chat.completion.chunk') continue
    joined.chunks += 1
    joined.usage = chunk.usage ?? joined.usage
    const choice = chunk.choices?.[0]
    joined.finishReason = choice?.finish_reason ?? joined.finishReason
    joined.reasoning += choice?.delta?.reasoning_content ?? ''
    joined.text += choice?.delta?.content ?? ''
    for (const { index = 0, function: called } of choice?.delta?.tool_calls ?? []) {
      const call = (joined.calls[index] ??= { name: '', arguments: '' })
      call.name += called?.name ?? ''
      call.arguments += called?.arguments ?? ''
    }
  }
  return joined.chunks === 0 ? undefined : joined
}

/** Returns the text of the last user message of a chat request, or undefined. */
export function readLastUserText(json) {
  const messages = Array.isArray(json?.messages) ? json.messages : []
  const last = messages.findLast(({ role }) => role === 'user')?.content
  if (Array.isArray(last)) return last.map(({ text }) => text ?? '').join('')
  return typeof last === 'string' ? last : undefined
}
