import type { SeededRandom } from '../../../emulator/state/seeded-random.ts'
import { FAULT_HEADER, FAULT_NAMES } from './fault-rules.ts'
import { sendRequest, type ClientResponse, type ClientRequest } from './send-request.ts'

export interface ClientKeys {
  readonly funded: string
  readonly noCredits: string
  readonly limited: string
  /** Key of the account whose charges the soak test also calculates from the responses. */
  readonly counted: string
  /** Key of an account that soon runs out of credits. */
  readonly small: string
}

export interface ClientContext {
  readonly url: string
  readonly keys: ClientKeys
  readonly random: SeededRandom
  readonly index: number
}

/** The responses that a client received, and the first error in them. */
export interface ClientReport {
  readonly outcomes: readonly ClientResponse[]
  /** Tokens that the counted account must pay for, according to the responses. */
  readonly countedTokens?: number
  readonly failure?: string
}

type Client = (context: ClientContext) => Promise<ClientReport>

const MODEL = 'vendora-v4-flash'
const CHAT = '/v1/chat/completions'
const FORM_TYPE = 'multipart/form-data; boundary=soak'

/** Kinds of clients, with the weights of their random selection. */
const CLIENTS: readonly (readonly [name: string, share: number, client: Client])[] = [
  ['non-streaming', 20, (context) => requestCounted(context)],
  ['stream', 15, (context) => requestCounted(context, { stream: true, stream_options: { include_usage: true } })],
  ['abort', 12, abortStream],
  ['abort-early', 6, abortEarly],
  ['schema', 4, generateFromSchema],
  ['models', 4, listModels],
  ['image', 4, fetchImage],
  ['audio', 4, speakAndTranscribe],
  ['invalid', 9, sendInvalidRequest],
  ['small', 8, (context) => expectOneOf([200, 402], context, chatOf(context, context.keys.small))],
  ['no-credits', 2, (context) => expectOneOf([402], context, chatOf(context, context.keys.noCredits))],
  ['limited', 6, (context) => expectOneOf([200, 429], context, chatOf(context, context.keys.limited))],
  ['faulty', 10, requestFault],
]

const TOTAL_WEIGHT = CLIENTS.reduce((sum, [, share]) => sum + share, 0)

export async function runClient(context: ClientContext): Promise<ClientReport & { readonly kind: string }> {
  let place = context.random.integerBelow(TOTAL_WEIGHT)
  const found = CLIENTS.find(([, share]) => (place -= share) < 0)
  if (found === undefined) throw new Error('the shares do not add up')
  const [kind, , client] = found
  return { ...(await client(context)), kind }
}

function chatOf({ random, index }: ClientContext, key: string, fields: object = {}): ClientRequest {
  const messages = [{ role: 'user', content: `Question ${index}: ${'why '.repeat(1 + random.integerBelow(40))}?` }]
  const body = { model: MODEL, messages, max_tokens: 1 + random.integerBelow(120), user: `user-${index}`, ...fields }
  return { path: CHAT, key, body, headers: { 'x-client-request-id': `request-${index}` } }
}

async function expectOneOf(
  statuses: readonly number[],
  { url }: ClientContext,
  request: ClientRequest,
): Promise<ClientReport> {
  const outcome = await sendRequest(url, request)
  if (outcome.end === 'complete' && statuses.includes(outcome.status)) return { outcomes: [outcome] }
  return { outcomes: [outcome], failure: `${outcome.status} (${outcome.end}), where ${statuses.join(' or ')} is due` }
}

async function requestCounted(context: ClientContext, fields: object = {}): Promise<ClientReport> {
  const report = await expectOneOf([200], context, chatOf(context, context.keys.counted, fields))
  return report.failure === undefined ? { ...report, countedTokens: tokensIn(report) } : report
}

/** Reads `usage.total_tokens` from a JSON response or from the last event of a stream. */
function tokensIn({ outcomes }: ClientReport): number {
  return Number(/"total_tokens":(\d+)/.exec(String(outcomes[0]?.body))?.[1])
}

async function abortStream(context: ClientContext): Promise<ClientReport> {
  const { url, random, keys } = context
  const abortAfterBytes = 1 + random.integerBelow(6000)
  return { outcomes: [await sendRequest(url, { ...chatOf(context, keys.funded, { stream: true }), abortAfterBytes })] }
}

async function abortEarly(context: ClientContext): Promise<ClientReport> {
  const { url, random, keys } = context
  const request = chatOf(context, keys.funded, { stream: random.next() < 0.5 })
  return { outcomes: [await sendRequest(url, { ...request, abortAfterMs: random.integerBelow(60) })] }
}

/** Requests JSON that conforms to a schema that no other client sends. */
function generateFromSchema(context: ClientContext): Promise<ClientReport> {
  const { keys, index } = context
  const properties = { [`field${index}`]: { type: 'string', pattern: `^[a-z]{3}${index}$` } }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } }
  return expectOneOf([200], context, chatOf(context, keys.funded, { response_format }))
}

function listModels(context: ClientContext): Promise<ClientReport> {
  return expectOneOf([200], context, { path: '/v1/models', key: context.keys.funded })
}

async function fetchImage(context: ClientContext): Promise<ClientReport> {
  const { keys, random, index } = context
  const size = `${16 + random.integerBelow(64)}x${16 + random.integerBelow(64)}`
  const body = { model: MODEL, prompt: `Picture ${index}`, size }
  const created = await expectOneOf([200], context, { path: '/v1/images/generations', key: keys.funded, body })
  if (created.failure !== undefined) return created
  const path = /\/v1\/images\/[^"]+/.exec(String(created.outcomes[0]?.body))?.[0] ?? '/v1/images/none'
  const seen = await expectOneOf([200], context, { path, key: keys.funded })
  return { ...seen, outcomes: [...created.outcomes, ...seen.outcomes] }
}

async function speakAndTranscribe(context: ClientContext): Promise<ClientReport> {
  const { keys, index } = context
  const words = `Line ${index} is read aloud.`
  const body = { model: MODEL, input: words }
  const spoken = await expectOneOf([200], context, { path: '/v1/audio/speech', key: keys.funded, body })
  if (spoken.failure !== undefined) return spoken
  const form = Buffer.concat([
    Buffer.from(`--soak\r\ncontent-disposition: form-data; name="model"\r\n\r\n${MODEL}\r\n`),
    Buffer.from('--soak\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'),
    spoken.outcomes[0]?.body ?? Buffer.alloc(0),
    Buffer.from('\r\n--soak--\r\n'),
  ])
  const request = { path: '/v1/audio/transcriptions', key: keys.funded, body: form, contentType: FORM_TYPE }
  const transcription = await expectOneOf([200], context, request)
  const outcomes = [...spoken.outcomes, ...transcription.outcomes]
  const isSame = String(transcription.outcomes[0]?.body).includes(words)
  return transcription.failure === undefined && !isSame
    ? { outcomes, failure: 'the transcription is not the spoken text' }
    : { ...transcription, outcomes }
}

function sendInvalidRequest(context: ClientContext): Promise<ClientReport> {
  const { random, keys, index } = context
  const request = chatOf(context, keys.funded)
  const invalid: readonly (readonly [status: number, request: ClientRequest])[] = [
    [400, chatOf(context, keys.funded, { temperature: 3 })],
    [400, { ...request, body: Buffer.from('{"model":') }],
    [404, chatOf(context, keys.funded, { model: `nobody-${index}` })],
    [404, { path: `/v1/nowhere-${index}`, key: keys.funded }],
    [401, { ...request, key: `sk-svc-nobody-${index}` }],
  ]
  const [status, chosen] = invalid[random.integerBelow(invalid.length)] ?? [400, request]
  return expectOneOf([status], context, chosen)
}

/**
 * Requests an injected fault, and disconnects after 1000 to 1400 ms. Accepts any response, because only the effect on
 * other clients matters.
 */
async function requestFault(context: ClientContext): Promise<ClientReport> {
  const { url, random, keys } = context
  const fault = FAULT_NAMES[random.integerBelow(FAULT_NAMES.length)] ?? ''
  const request = {
    ...chatOf(context, keys.funded, { stream: random.next() < 0.7 }),
    headers: { [FAULT_HEADER]: fault },
    abortAfterMs: 1000 + random.integerBelow(400),
  }
  return { outcomes: [await sendRequest(url, request)] }
}
