/**
 * A small chat server as an example of a deployment that offers less than the specification: two models of its own, no
 * images, no audio, no credits, no rate limit. It responds with the words of the prompt. `examples/chat-server.json` is
 * its target file; docs/own-server.md shows how to test it.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'

const KEY = process.env['CHAT_SERVER_KEY'] ?? 'sk-svc-chat-server'
const { values } = parseArgs({ options: { port: { type: 'string', default: '8300' } } })
const PORT = Number(values.port)
const MODELS = ['parrot-small', 'parrot-large']
const STARTED = Math.floor(Date.now() / 1000)
const ROLES: readonly unknown[] = ['system', 'user', 'assistant']
const DEFAULT_MAX_TOKENS = 256

/** An error that becomes an HTTP error response. */
class RequestError extends Error {
  readonly status: number
  readonly param: string | null

  constructor(status: number, message: string, param: string | null = null) {
    super(message)
    this.status = status
    this.param = param
  }
}

interface Chat {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly words: readonly string[]
  readonly finishReason: 'stop' | 'length'
  readonly promptTokens: number
  readonly isStream: boolean
}

const server = createServer(async (request, response) => {
  response.setHeader('x-request-id', randomUUID())
  try {
    await handle(request, response)
  } catch (error) {
    const { status, message, param } =
      error instanceof RequestError ? error : { status: 500, message: String(error), param: null }
    const type = status < 500 ? 'invalid_request_error' : 'server_error'
    sendJson(response, status, { error: { message, type, param, code: null } })
  }
})

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers.authorization !== `Bearer ${KEY}`) throw new RequestError(401, 'The key is missing or unknown.')
  const path = request.url?.split('?')[0]
  if (request.method === 'GET' && path === '/v1/models') {
    const data = MODELS.map((id) => ({ id, object: 'model', created: STARTED, owned_by: 'parrot' }))
    return sendJson(response, 200, { object: 'list', data })
  }
  if (request.method !== 'POST' || path !== '/v1/chat/completions') throw new RequestError(404, 'No such endpoint.')
  const chat = readChat(parse(await readBody(request)))
  return chat.isStream ? sendStream(response, chat) : sendCompletion(response, chat)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new RequestError(400, 'The body is not valid JSON.')
  }
  if (!isObject(body)) throw new RequestError(400, 'The body must be a JSON object.')
  return body
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readChat(body: Readonly<Record<string, unknown>>): Chat {
  const { model, messages, max_tokens: limit, temperature, stream } = body
  check(typeof model === 'string', 'model')
  check(isAbsent(limit) || (Number.isInteger(limit) && Number(limit) >= 1), 'max_tokens')
  check(
    isAbsent(temperature) || (typeof temperature === 'number' && temperature >= 0 && temperature <= 2),
    'temperature',
  )
  check(isAbsent(stream) || typeof stream === 'boolean', 'stream')
  check(Array.isArray(messages) && messages.length > 0 && messages.every(isMessage), 'messages')
  if (!MODELS.some((id) => id === model)) throw new RequestError(404, 'No such model.', 'model')
  const question = Array.isArray(messages) ? messages.map((message) => wordsOf(message)).flat() : []
  // The response is long enough to reach any `max_tokens` of a test, and is truncated at that limit.
  const longest = Array.from(
    { length: Math.max(question.length, 300) },
    (_, at) => question[at % question.length] ?? '-',
  )
  const complete = question.some((word) => /^\d{2,}$/.test(word)) ? longest : longest.slice(0, question.length)
  const words = complete.slice(0, isAbsent(limit) ? DEFAULT_MAX_TOKENS : Number(limit))
  return {
    id: `chat-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: String(model),
    words,
    finishReason: words.length < complete.length ? 'length' : 'stop',
    promptTokens: question.length,
    isStream: stream === true,
  }
}

/** Returns true for an absent optional parameter, which may be undefined or null. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function check(isValid: boolean, param: string): void {
  if (!isValid) throw new RequestError(400, `${param} is missing or not valid.`, param)
}

function isMessage(message: unknown): boolean {
  return isObject(message) && ROLES.includes(message['role']) && typeof message['content'] === 'string'
}

function wordsOf(message: unknown): string[] {
  return isObject(message)
    ? String(message['content'])
        .split(/\s+/)
        .filter((word) => word !== '')
    : []
}

function sendCompletion(
  response: ServerResponse,
  { id, created, model, words, finishReason, promptTokens }: Chat,
): void {
  const message = { role: 'assistant', content: words.join(' ') }
  sendJson(response, 200, {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: words.length,
      total_tokens: promptTokens + words.length,
    },
  })
}

async function sendStream(response: ServerResponse, chat: Chat): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const { id, created, model, words, finishReason, promptTokens } = chat
  const send = (choices: readonly object[], more: object = {}): void => {
    const chunk = { id, object: 'chat.completion.chunk', created, model, choices, ...more }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  send([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
  for (const [at, word] of words.entries()) {
    send([{ index: 0, delta: { content: at === 0 ? word : ` ${word}` }, finish_reason: null }])
    // Simulates the time that a model needs for each token.
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: words.length,
    total_tokens: promptTokens + words.length,
  }
  send([{ index: 0, delta: {}, finish_reason: finishReason }], { usage })
  response.end('data: [DONE]\n\n')
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

server.listen(PORT, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : PORT
  console.log(`chat server at http://127.0.0.1:${port}`)
})
