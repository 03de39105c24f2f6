/** Key of a client, which the gateways replace by the key of the upstream. */
export const CLIENT_KEY = 'sk-svc-client-1'

interface ToolCallDelta {
  index: number
  function?: { name?: string; arguments?: string }
}

interface Chunk {
  id?: string
  choices?: { delta: { content?: string | null; tool_calls?: ToolCallDelta[] }; finish_reason: string | null }[]
  usage?: Record<string, number> | null
  error?: object
}

export function sendChat(url: string, fields: object = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CLIENT_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'Hello.' }], ...fields }),
    ...init,
  })
}

/** Sends a request for a stream with usage, and reads the stream to its end. `isCut` is true if it has none. */
export async function readStream(url: string, fields: object = {}) {
  const response = await sendChat(url, { stream: true, stream_options: { include_usage: true }, ...fields })
  const decoder = new TextDecoder()
  let text = ''
  let isCut = false
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true })
  } catch {
    isCut = true
  }
  return { status: response.status, isCut, raw: text, ...parseStream(text) }
}

function parseStream(text: string) {
  const data = text.split(/\r\n|\n|\r/).flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  const chunks = data.flatMap((item) => parseChunk(item))
  const deltas = chunks.flatMap(({ choices }) => choices?.slice(0, 1) ?? [])
  const toolCalls: { name: string; arguments: string }[] = []
  for (const call of deltas.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    const joined = (toolCalls[call.index] ??= { name: '', arguments: '' })
    joined.name += call.function?.name ?? ''
    joined.arguments += call.function?.arguments ?? ''
  }
  return {
    isDone: data.at(-1) === '[DONE]',
    hasError: chunks.some(({ error }) => error !== undefined),
    text: deltas.map(({ delta }) => delta.content ?? '').join(''),
    toolCalls,
    finishReason: deltas.findLast(({ finish_reason: reason }) => reason !== null)?.finish_reason,
    usage: chunks.findLast(({ usage }) => usage !== undefined && usage !== null)?.usage ?? undefined,
  }
}

/** Returns no chunk for data that is not JSON, such as `[DONE]` and the part of an event before a cut. */
function parseChunk(data: string): Chunk[] {
  try {
    return [JSON.parse(data)]
  } catch {
    return []
  }
}
