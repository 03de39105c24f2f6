import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/*
 * This file contains a conforming service that makes a different choice from the emulator wherever the specification
 * leaves one open. It shares neither code nor tables with the emulator, so that an error in one of them cannot affect
 * both.
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
/** Model that serves each operation except chat, which all models serve. */
const SERVING_MODELS: Readonly<Record<string, string>> = {
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
const EMPTY_SIZE = '0x0'
const MAX_MESSAGE_LENGTH = 10_000
const MAX_BODY_BYTES = 1_000_000
const JSON_TYPE = { 'Content-Type': 'application/json' }
const TOO_LARGE = '{"error":{"message":"too large","type":"invalid_request","param":null,"code":null}}'
const MAX_REQUESTS = 3
const LIMIT_WINDOW_MS = 500
/** One MPEG-2 Layer III frame of 192 bytes: 64 kbit/s at 24 kHz. */
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x84, 0xc4]), Buffer.alloc(188)])
/** Start of a 640 x 480 JPEG file, up to the frame header with the dimensions. */
const JPEG = Buffer.from('ffd8ffc000110801e0028003011100021100031100ffd9', 'hex')

class HttpError extends Error {
  readonly status: number
  constructor(status: number) {
    super(`${status}`)
    this.status = status
  }
}

function assertValid(holds: boolean, status = 400): void {
  if (!holds) throw new HttpError(status)
}

type Fields = Readonly<Record<string, unknown>>

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  readonly base: string
}

/** A running server on loopback. Disposing it stops the server. */
export interface OppositeServer extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts the server. It validates each request in this order: path, body, key, credits, rate limit, model, parameter
 * values.
 */
export async function startOppositeServer(): Promise<OppositeServer> {
  const limitedAtMs: number[] = []
  const server = createServer((request, response) => {
    void receive(request, response, limitedAtMs).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // `address()` returns a string only for a pipe.
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
  response.setHeader('X-RateLimit-Limit', MAX_REQUESTS)
  response.setHeader('X-Response-Cost', 0)
  try {
    respond(call, limitedAtMs)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    // Clients must be able to read why a body is too large. Other errors are text.
    if (error.status === 413) return void response.writeHead(413, JSON_TYPE).end(TOO_LARGE)
    response.writeHead(error.status, { 'Content-Type': 'text/plain' }).end(`refused (${error.message})`)
  }
}

function respond(call: Exchange, limitedAtMs: number[]): void {
  const { method = '', url = '/' } = call.request
  if (method === 'OPTIONS') {
    call.response.writeHead(204, { 'Access-Control-Allow-Origin': '*' }).end()
    return
  }
  const [rawPath = '', query] = url.split('?')
  if (rawPath.startsWith('/v1/images/') && method === 'GET') return sendImage(call, rawPath)
  // Accepts a different version, a missing version, and a trailing slash.
  const path = rawPath.replace(/\/$/, '').replace(/^(\/v2)?\/models$/, '/v1/models')
  const [ownMethod, operation] = OPERATIONS[path] ?? []
  if (operation === undefined) throw new HttpError(404)
  assertValid(method === ownMethod, 405)
  assertValid(query === undefined)
  assertValid(call.body.byteLength < MAX_BODY_BYTES, 413)
  assertValid(call.request.headers['transfer-encoding'] === undefined, 411)
  const fields =
    operation === 'models' ? {} : operation === 'transcriptions' ? readForm(call) : readJson(call, operation)
  authorize(call, limitedAtMs)
  if (operation === 'models') return listModels(call)
  const model = fields['model']
  assertValid(typeof model === 'string')
  assertValid(MODELS.includes(String(model)), 404)
  assertValid([undefined, model].includes(SERVING_MODELS[operation]))
  HANDLERS[operation]?.(call, fields)
}

const HANDLERS: Readonly<Record<string, (call: Exchange, fields: Fields) => void>> = {
  chat: handleChat,
  images: handleImages,
  transcriptions: (call) => sendJson(call, { text: '', duration: 1 }),
  speech: handleSpeech,
}

function authorize({ request }: Exchange, limitedAtMs: number[]): void {
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  assertValid(Object.values(OPPOSITE_KEYS).includes(key), 401)
  assertValid(key !== OPPOSITE_KEYS.noCredits, 402)
  if (key !== OPPOSITE_KEYS.limited) return
  const nowMs = performance.now()
  while (nowMs - (limitedAtMs[0] ?? nowMs) > LIMIT_WINDOW_MS) limitedAtMs.shift()
  assertValid(limitedAtMs.length < MAX_REQUESTS, 429)
  limitedAtMs.push(nowMs)
}

/**
 * Parses a JSON body. Accepts invalid UTF-8. Rejects unknown members, a duplicate `max_tokens`, and integers with a
 * decimal point or exponent.
 */
function readJson({ request, body }: Exchange, operation: string): Fields {
  assertValid(request.headers['content-type'] === 'application/json', 415)
  const text = body.toString('utf8')
  const value = parse(text)
  assertValid(typeof value === 'object' && value !== null && !Array.isArray(value))
  const fields = { ...Object(value) } as Fields
  const names = MEMBERS[operation] ?? []
  assertValid(Object.keys(fields).every((name) => names.includes(name)))
  assertValid((text.match(/"max_tokens":/g) ?? []).length < 2)
  assertValid(!/"(max_tokens|n)":-?\d+[.eE]/.test(text))
  return fields
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HttpError(400)
  }
}

function readForm({ request, body }: Exchange): Fields {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) throw new HttpError(415)
  const fields: Record<string, string> = {}
  for (const part of body.toString('latin1').split(`--${boundary}`)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const name = /name="(\w+)"/.exec(head)?.[1]
    if (name === undefined) continue
    fields[name] = rest.join('\r\n\r\n').slice(0, -2)
    if (name === 'file') assertValid(/filename="[\w.-]+"/.test(head))
  }
  const { file, language = 'english' } = fields
  assertValid(file !== undefined && (file === '' || file.startsWith('\xff') || file.startsWith('ID3')))
  assertValid(language === 'english')
  return fields
}

function isOptionalInteger(value: unknown): boolean {
  return value === undefined || Number.isInteger(value)
}

function listModels(call: Exchange): void {
  const data = MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: '', served: true }))
  sendJson(call, { data: [{ id: 'another', object: 'model', created: 1, owned_by: 'us' }, ...data], object: 'list' })
}

/** Serves a chat with at most one message. Accepts most types of messages, and `max_tokens` below 1, but not 1. */
function handleChat(call: Exchange, fields: Fields): void {
  const { model, messages, max_tokens: bound = 256, temperature = 1, stream = false } = fields
  assertValid(Array.isArray(messages) && messages.length < 2 && messages.every(isMessage))
  assertValid(isOptionalInteger(bound) && Number(bound) <= 256 && bound !== 1)
  assertValid(typeof temperature === 'number' && temperature >= 0 && temperature <= 2)
  assertValid(typeof stream === 'boolean')
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
  const isRejected = content === '' || Array.isArray(content) || (isText && content.includes('\0'))
  if (isText) assertValid(content.length < MAX_MESSAGE_LENGTH, 413)
  return role !== 'developer' && name === undefined && !isRejected
}

/** Sends a stream with named events, plain text, comments and CRLF line endings, and without `[DONE]`. */
function sendStream({ response }: Exchange): void {
  response.writeHead(201, { 'Content-Type': 'Text/Event-Stream; charset=utf-8' })
  const frames = ['a', 'b', 'c'].map((word) => `event: word\r\nid: 1\r\ndata: ${word}\r\ndata:d\r\n\r\n: on\r\n\r\n`)
  response.end(`retry: 10\r\n\r\n${frames.join('')}`)
}

/** Generates at most one image, always in the same size. */
function handleImages(call: Exchange, { prompt, n = 1, size = OWN_SIZE }: Fields): void {
  assertValid(typeof prompt === 'string' && typeof size === 'string' && (n === 1 || n === 0))
  assertValid(size === OWN_SIZE || size === EMPTY_SIZE)
  const url = `${call.base}/v1/images/a/b%20c.JPEG?signed=1.2/3#top`
  sendJson(call, { data: n === 0 ? [] : [{ alt: null, url }], created: 0 })
}

function sendImage({ request, response }: Exchange, path: string): void {
  assertValid(request.headers.authorization === `Bearer ${OPPOSITE_KEYS.funded}`, 401)
  assertValid(path.endsWith('.JPEG'), 404)
  response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(JPEG)
}

function handleSpeech({ response }: Exchange, { input, voice = 'alloy' }: Fields): void {
  assertValid(typeof input === 'string' && voice === 'alloy')
  response.writeHead(203).end(Buffer.concat(Array.from({ length: 3 }, () => MP3_FRAME)))
}

function sendJson({ request, response }: Exchange, value: unknown): void {
  const text = JSON.stringify(value, null, 2)
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  response.writeHead(201, { 'Content-Type': 'text/json', ...(zips ? { 'Content-Encoding': 'gzip' } : {}) })
  response.end(zips ? gzipSync(text) : text)
}
