import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { OPERATIONS } from '../../contract/facts.ts'
import type { ChooseResponse, ReceivedRequest, Respond } from './recording-proxy.ts'

/** A target that always responds alike: its response depends only on the request. */
export interface ConstantTarget {
  readonly name: string
  readonly choose: ChooseResponse
  /** Selected checks in the integration tier. Undefined for a target of the nightly tier. */
  readonly everydayChecks?: readonly string[]
  /** Deadline of a request in milliseconds, for a target that does not respond to some requests. */
  readonly timeoutMs?: number
}

/** Deadline in runs against targets that hang. It is long enough for a busy machine. */
const SHORT_TIMEOUT_MS = 5000

const CHAT = OPERATIONS.chat.path

function status(code: number, headers: Readonly<Record<string, string>> = {}): Respond {
  return (response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end('{"error":{"message":"no"}}')
}

const hang: Respond = () => undefined

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}

/** Sends the start of a stream, and closes the connection. */
function cutStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"}}]}\n\n', () =>
    response.destroy(),
  )
}

function isStream({ body }: ReceivedRequest): boolean {
  return body.includes('"stream":true')
}

function isChat({ path }: ReceivedRequest): boolean {
  return path === CHAT
}

/** Returns whether a request belongs to a sample of about one in `count`, which depends only on its content. */
function isInSample({ method, path, headers, body }: ReceivedRequest, count: number): boolean {
  const key = headers.authorization ?? ''
  const digest = createHash('sha256').update(`${method} ${path} ${key}`).update(body).digest()
  return digest.readUInt16BE() % count === 3 % count
}

const ifRequest =
  (matches: (request: ReceivedRequest) => boolean, respond: Respond): ChooseResponse =>
  (request) =>
    matches(request) ? respond : undefined

const sample = (count: number, respond: Respond): ChooseResponse =>
  ifRequest((request) => isInSample(request, count), respond)

const instead =
  (upstreamStatus: number, respond: Respond): ChooseResponse =>
  (_request, code) =>
    code === upstreamStatus ? respond : undefined

export const CONSTANT_TARGETS: readonly ConstantTarget[] = [
  {
    name: 'returns 500 to every chat',
    choose: ifRequest(isChat, status(500)),
    everydayChecks: ['2.3', '4.1', '4.5', '7'],
  },
  { name: 'resets one connection in four', choose: sample(4, reset), everydayChecks: ['4.3', '4.5', '5'] },
  { name: 'returns 500 to every POST', choose: ifRequest(({ method }) => method === 'POST', status(500)) },
  { name: 'conforms', choose: () => undefined },
  {
    name: 'serves only files',
    choose: ({ method }) => status(method === 'GET' ? 404 : 501),
  },
  { name: 'returns 500 to the list of models', choose: ifRequest(({ path }) => path === '/v1/models', status(500)) },
  { name: 'returns 502 to every stream', choose: ifRequest(isStream, status(502)) },
  { name: 'cuts every stream', choose: ifRequest(isStream, cutStream) },
  { name: 'never responds to streams', choose: ifRequest(isStream, hang), timeoutMs: SHORT_TIMEOUT_MS },
  { name: 'never responds to chats', choose: ifRequest(isChat, hang), timeoutMs: SHORT_TIMEOUT_MS },
  {
    name: 'never responds to speech',
    choose: ifRequest(({ path }) => path === OPERATIONS.speech.path, hang),
    timeoutMs: SHORT_TIMEOUT_MS,
  },
  { name: 'never responds to invalid requests', choose: instead(400, hang), timeoutMs: SHORT_TIMEOUT_MS },
  { name: 'never responds to one request in twenty', choose: sample(20, hang), timeoutMs: SHORT_TIMEOUT_MS },
  { name: 'returns 500 to invalid requests', choose: instead(400, status(500)) },
  { name: 'returns 403 to invalid keys', choose: instead(401, status(403)) },
  { name: 'returns 429 to an account without credits', choose: instead(402, status(429, { 'retry-after': '1' })) },
  { name: 'returns 402 to images', choose: ifRequest(({ path }) => path === OPERATIONS.images.path, status(402)) },
  { name: 'returns 500 for one model', choose: ifRequest(({ body }) => body.includes('vendorc-4o"'), status(500)) },
  ...[401, 402, 403, 404, 500].map((code) => ({
    name: `returns ${code} to one request in ten`,
    choose: sample(10, status(code)),
  })),
  { name: 'returns 500 to every second request', choose: sample(2, status(500)) },
]
