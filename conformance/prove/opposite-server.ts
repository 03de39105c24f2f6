import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/*
 * A conforming service that makes the opposite choice to the emulator wherever the specification allows one. It shares
 * no code with the rest of the repository, not even the tables of the specification, so that no mistake affects both.
 */

const MODELS = [
  'vendora-v4-flash',
  'vendora-v4-pro',
  'vendora-reasoner',
  'vendorb-sonnet-4-20250514',
  'vendorb-haiku-3.5',
  'o3-mini',
  'vendorc-4o',
  'vendorc-4o-mini',
]
/** One model for each operation that only some models serve. */
const SERVING: Readonly<Record<string, string>> = {
  images: 'vendorb-haiku-3.5',
  transcriptions: 'o3-mini',
  speech: 'vendora-reasoner',
}
const OPERATIONS: Readonly<Record<string, readonly [method: string, name: string]>> = {
  '/v1/models': ['GET', 'models'],
  '/v1/chat/completions': ['POST', 'chat'],
  '/v1/images/generations': ['POST', 'images'],
  '/v1/audio/transcriptions': ['POST', 'transcriptions'],
  '/v1/audio/speech': ['POST', 'speech'],
}
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  chat: ['model', 'messages', 'max_tokens', 'temperature', 'stream'],
  images: ['model', 'prompt', 'n', 'size'],
  speech: ['model', 'input', 'voice'],
}
export const OPPOSITE_KEYS = {
  funded: 'sk-svc-Opp0site.Rich',
  noCredits: 'sk-svc-Opp0site.Poor',
  limited: 'sk-svc-Opp0site.Slow',
}
const OWN_SIZE = '640x480'
const SIZE_OF_NOTHING = '0x0'
const LONGEST_MESSAGE = 10_000
const LIMIT = 3
const LIMIT_WINDOW_MS = 500
/** MPEG-2, 64 kbit/s, 24 kHz: 192 bytes per frame. */
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x84, 0xc4]), Buffer.alloc(188)])
/** Start and frame header of a 640 x 480 JPEG file, up to the size. */
const JPEG = Buffer.from('ffd8ffc000110801e0028003011100021100031100ffd9', 'hex')

class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super(`${status}`)
    this.status = status
  }
}

function demand(holds: boolean, status = 400): void {
  if (!holds) throw new Refused(status)
}

type Fields = Readonly<Record<string, unknown>>

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  readonly base: string
}

/** A service on loopback; disposing it stops it. */
export interface OppositeServer extends AsyncDisposable {
  readonly url: string
}

/** Starts the service. Validates in this order: path, body, key, credits, limit, model, values. */
export async function startOppositeServer(): Promise<OppositeServer> {
  const limitedAtMs: number[] = []
  const server = createServer((request, response) => {
    void receive(request, response, limitedAtMs).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A string only for a listener on a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function receive(request: IncomingMessage, response: ServerResponse, limitedAtMs: number[]): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  const call = { request, response, body: Buffer.concat(pieces), base: `http://${request.headers.host}` }
  response.setHeader('Connection', 'close')
  response.setHeader('X-RateLimit-Limit', LIMIT)
  try {
    respond(call, limitedAtMs)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    response.writeHead(error.status, { 'Content-Type': 'text/plain' }).end(`refused (${error.message})`)
  }
}

function respond(call: Call, limitedAtMs: number[]): void {
  const { method = '', url = '/' } = call.request
  if (method === 'OPTIONS') {
    call.response.writeHead(204, { 'Access-Control-Allow-Origin': '*' }).end()
    return
  }
  const [rawPath = '', query] = url.split('?')
  if (rawPath.startsWith('/v1/images/') && method === 'GET') return sendImage(call, rawPath)
  // Another version, no version, and a trailing slash are all accepted.
  const path = rawPath.replace(/\/$/, '').replace(/^(\/v2)?\/models$/, '/v1/models')
  const [ownMethod, operation] = OPERATIONS[path] ?? []
  if (operation === undefined) throw new Refused(404)
  demand(method === ownMethod, 405)
  demand(query === undefined)
  const fields =
    operation === 'models' ? {} : operation === 'transcriptions' ? readForm(call) : readJson(call, operation)
  admit(call, limitedAtMs)
  if (operation === 'models') return listModels(call)
  const model = fields['model']
  demand(typeof model === 'string')
  demand(MODELS.includes(String(model)), 404)
  demand([undefined, model].includes(SERVING[operation]))
  ANSWERS[operation]?.(call, fields)
}

const ANSWERS: Readonly<Record<string, (call: Call, fields: Fields) => void>> = {
  chat: answerChat,
  images: answerImages,
  transcriptions: (call) => sendJson(call, { text: '', duration: 1 }),
  speech: answerSpeech,
}

function admit({ request }: Call, limitedAtMs: number[]): void {
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  demand(Object.values(OPPOSITE_KEYS).includes(key), 401)
  demand(key !== OPPOSITE_KEYS.noCredits, 402)
  if (key !== OPPOSITE_KEYS.limited) return
  const nowMs = performance.now()
  while (nowMs - (limitedAtMs[0] ?? nowMs) > LIMIT_WINDOW_MS) limitedAtMs.shift()
  demand(limitedAtMs.length < LIMIT, 429)
  limitedAtMs.push(nowMs)
}

/** Parses JSON. Replaces invalid UTF-8; rejects repeated members, and integers with a decimal point. */
function readJson({ request, body }: Call, operation: string): Fields {
  demand(request.headers['content-type'] === 'application/json', 415)
  const text = body.toString('utf8')
  const value = parse(text)
  demand(typeof value === 'object' && value !== null && !Array.isArray(value))
  const fields = { ...Object(value) } as Fields
  const names = MEMBERS[operation] ?? []
  demand(Object.keys(fields).every((name) => names.includes(name)))
  demand((text.match(/"max_tokens":/g) ?? []).length < 2)
  demand(!/"(max_tokens|n)":-?\d+[.eE]/.test(text))
  return fields
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused(400)
  }
}

function readForm({ request, body }: Call): Fields {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) throw new Refused(415)
  const fields: Record<string, string> = {}
  for (const part of body.toString('latin1').split(`--${boundary}`)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const name = /name="(\w+)"/.exec(head)?.[1]
    if (name === undefined) continue
    fields[name] = rest.join('\r\n\r\n').slice(0, -2)
    if (name === 'file') demand(/filename="[\w.-]+"/.test(head))
  }
  const { file, language = 'english' } = fields
  demand(file !== undefined && (file === '' || file.startsWith('\xff') || file.startsWith('ID3')))
  demand(language === 'english')
  return fields
}

function isWhole(value: unknown): boolean {
  return value === undefined || Number.isInteger(value)
}

function listModels(call: Call): void {
  const data = MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: '', served: true }))
  sendJson(call, { data: [{ id: 'another', object: 'model', created: 1, owned_by: 'us' }, ...data], object: 'list' })
}

/** Accepts at most one message, of nearly any shape, and bounds below 1. */
function answerChat(call: Call, fields: Fields): void {
  const { model, messages, max_tokens: bound = 256, temperature = 1, stream = false } = fields
  demand(Array.isArray(messages) && messages.length < 2 && messages.every(isMessage))
  demand(isWhole(bound) && Number(bound) <= 256)
  demand(typeof temperature === 'number' && temperature >= 0 && temperature <= 2)
  demand(typeof stream === 'boolean')
  if (stream === true) return sendStream(call)
  const tokens = Math.max(0, Math.min(300, Number(bound)))
  const choice = { finish_reason: '', message: { content: '', role: 'assistant', tone: null }, index: 7 }
  const usage = { total_tokens: 0, completion_tokens: tokens, prompt_tokens: 0 }
  sendJson(call, { usage, choices: [choice], model, created: 0, object: 'chat.completion', id: '' })
}

function isMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return false
  const { role, content, name } = message as Fields
  const isText = typeof content === 'string'
  const isRefused = content === '' || Array.isArray(content) || (isText && content.includes('\0'))
  if (isText) demand(content.length < LONGEST_MESSAGE, 413)
  return role !== 'developer' && name === undefined && !isRefused
}

/** Streams named events of bare text, with comments between them, CRLF and no `[DONE]`. */
function sendStream({ response }: Call): void {
  response.writeHead(201, { 'Content-Type': 'Text/Event-Stream; charset=utf-8' })
  const frames = ['a', 'b', 'c'].map((word) => `event: word\r\nid: 1\r\ndata: ${word}\r\ndata:d\r\n\r\n: on\r\n\r\n`)
  response.end(`retry: 10\r\n\r\n${frames.join('')}`)
}

/** Generates at most one image, in one size. */
function answerImages(call: Call, { prompt, n = 1, size = OWN_SIZE }: Fields): void {
  demand(typeof prompt === 'string' && typeof size === 'string' && (n === 1 || n === 0))
  demand(size === OWN_SIZE || size === SIZE_OF_NOTHING)
  const url = `${call.base}/v1/images/a/b%20c.JPEG?signed=1.2/3#top`
  sendJson(call, { data: n === 0 ? [] : [{ alt: null, url }], created: 0 })
}

function sendImage({ request, response }: Call, path: string): void {
  demand(request.headers.authorization === `Bearer ${OPPOSITE_KEYS.funded}`, 401)
  demand(path.endsWith('.JPEG'), 404)
  response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(JPEG)
}

function answerSpeech({ response }: Call, { input, voice = 'alloy' }: Fields): void {
  demand(typeof input === 'string' && voice === 'alloy')
  response.writeHead(203).end(Buffer.concat(Array.from({ length: 3 }, () => MP3_FRAME)))
}

function sendJson({ request, response }: Call, value: unknown): void {
  const text = JSON.stringify(value, null, 2)
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  response.writeHead(201, { 'Content-Type': 'text/json', ...(zips ? { 'Content-Encoding': 'gzip' } : {}) })
  response.end(zips ? gzipSync(text) : text)
}
