import type { Agent } from 'node:http'
import { ask, type Outcome, type Question } from './ask.ts'
import type { Draws } from './draws.ts'
import { FAULT_HEADER, FAULT_NAMES } from './fault-rules.ts'

/** Keys of the accounts that the clients use. */
export interface Keys {
  readonly funded: string
  readonly empty: string
  readonly limited: string
  /** Of an account whose bill is added up here too. */
  readonly counted: string
  /** Of an account that is soon used up. */
  readonly poor: string
}

/** What a client needs. */
export interface Setting {
  readonly url: string
  readonly agent: Agent
  readonly keys: Keys
  readonly draws: Draws
  readonly index: number
}

/** What a client saw, and what it should not have seen. */
export interface Report {
  readonly outcomes: readonly Outcome[]
  /** Tokens of the counted account, as the answers say. */
  readonly countedTokens?: number
  readonly wrong?: string
}

type Client = (setting: Setting) => Promise<Report>

const MODEL = 'vendora-v4-flash'
const CHAT = '/v1/chat/completions'
const FORM_TYPE = 'multipart/form-data; boundary=soak'

/** Kinds of clients with their share of all. */
const CLIENTS: readonly (readonly [name: string, share: number, client: Client])[] = [
  ['whole', 20, askWhole],
  ['stream', 15, readStream],
  ['leave', 12, leaveStream],
  ['leave-early', 6, leaveEarly],
  ['models', 4, listModels],
  ['image', 4, fetchImage],
  ['audio', 4, speakAndTranscribe],
  ['mistaken', 9, makeMistake],
  ['poor', 8, (setting) => expectOneOf([200, 402], setting, chatOf(setting, setting.keys.poor))],
  ['empty', 2, (setting) => expectOneOf([402], setting, chatOf(setting, setting.keys.empty))],
  ['limited', 6, (setting) => expectOneOf([200, 429], setting, chatOf(setting, setting.keys.limited))],
  ['faulty', 10, meetFault],
]

const SHARES = CLIENTS.reduce((sum, [, share]) => sum + share, 0)

/** Runs the client that this draw gives. */
export async function runClient(setting: Setting): Promise<Report & { readonly kind: string }> {
  let place = setting.draws.below(SHARES)
  const found = CLIENTS.find(([, share]) => (place -= share) < 0)
  if (found === undefined) throw new Error('the shares do not add up')
  const [kind, , client] = found
  return { ...(await client(setting)), kind }
}

function chatOf({ draws, index }: Setting, key: string, fields: object = {}): Question {
  const messages = [{ role: 'user', content: `Question ${index}: ${'why '.repeat(1 + draws.below(40))}?` }]
  return { path: CHAT, key, body: { model: MODEL, messages, max_tokens: 1 + draws.below(120), ...fields } }
}

async function expectOneOf(statuses: readonly number[], { url, agent }: Setting, question: Question): Promise<Report> {
  const outcome = await ask(url, agent, question)
  if (outcome.end === 'whole' && statuses.includes(outcome.status)) return { outcomes: [outcome] }
  return { outcomes: [outcome], wrong: `${outcome.status} (${outcome.end}), where ${statuses.join(' or ')} is due` }
}

async function askWhole(setting: Setting): Promise<Report> {
  const report = await expectOneOf([200], setting, chatOf(setting, setting.keys.counted))
  return report.wrong === undefined ? { ...report, countedTokens: tokensIn(report) } : report
}

async function readStream(setting: Setting): Promise<Report> {
  const fields = { stream: true, stream_options: { include_usage: true } }
  const report = await expectOneOf([200], setting, chatOf(setting, setting.keys.counted, fields))
  return report.wrong === undefined ? { ...report, countedTokens: tokensIn(report) } : report
}

/** What `usage` says, in an answer or in the last event of a stream. */
function tokensIn({ outcomes }: Report): number {
  return Number(/"total_tokens":(\d+)/.exec(String(outcomes[0]?.body))?.[1])
}

async function leaveStream(setting: Setting): Promise<Report> {
  const { url, agent, draws, keys } = setting
  const question = { ...chatOf(setting, keys.funded, { stream: true }), leaveAfterBytes: 1 + draws.below(6000) }
  return { outcomes: [await ask(url, agent, question)] }
}

async function leaveEarly(setting: Setting): Promise<Report> {
  const { url, agent, draws, keys } = setting
  const question = { ...chatOf(setting, keys.funded, { stream: draws.next() < 0.5 }), leaveAfterMs: draws.below(60) }
  return { outcomes: [await ask(url, agent, question)] }
}

function listModels(setting: Setting): Promise<Report> {
  return expectOneOf([200], setting, { path: '/v1/models', key: setting.keys.funded })
}

async function fetchImage(setting: Setting): Promise<Report> {
  const { keys, draws, index } = setting
  const body = { model: MODEL, prompt: `Picture ${index}`, size: `${16 + draws.below(64)}x${16 + draws.below(64)}` }
  const made = await expectOneOf([200], setting, { path: '/v1/images/generations', key: keys.funded, body })
  if (made.wrong !== undefined) return made
  const path = /\/v1\/images\/[^"]+/.exec(String(made.outcomes[0]?.body))?.[0] ?? '/v1/images/none'
  const seen = await expectOneOf([200], setting, { path, key: keys.funded })
  return { ...seen, outcomes: [...made.outcomes, ...seen.outcomes] }
}

async function speakAndTranscribe(setting: Setting): Promise<Report> {
  const { keys, index } = setting
  const words = `Line ${index} is read aloud.`
  const body = { model: MODEL, input: words }
  const spoken = await expectOneOf([200], setting, { path: '/v1/audio/speech', key: keys.funded, body })
  if (spoken.wrong !== undefined) return spoken
  const form = Buffer.concat([
    Buffer.from(`--soak\r\ncontent-disposition: form-data; name="model"\r\n\r\n${MODEL}\r\n`),
    Buffer.from('--soak\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'),
    spoken.outcomes[0]?.body ?? Buffer.alloc(0),
    Buffer.from('\r\n--soak--\r\n'),
  ])
  const question = { path: '/v1/audio/transcriptions', key: keys.funded, body: form, contentType: FORM_TYPE }
  const heard = await expectOneOf([200], setting, question)
  const outcomes = [...spoken.outcomes, ...heard.outcomes]
  const isSame = String(heard.outcomes[0]?.body).includes(words)
  return heard.wrong === undefined && !isSame
    ? { outcomes, wrong: 'what was heard is not what was said' }
    : { ...heard, outcomes }
}

function makeMistake(setting: Setting): Promise<Report> {
  const { draws, keys } = setting
  const question = chatOf(setting, keys.funded)
  return draws.of<() => Promise<Report>>([
    () => expectOneOf([400], setting, chatOf(setting, keys.funded, { temperature: 3 })),
    () => expectOneOf([400], setting, { ...question, body: Buffer.from('{"model":') }),
    () => expectOneOf([404], setting, chatOf(setting, keys.funded, { model: 'nobody' })),
    () => expectOneOf([404], setting, { path: '/v1/nowhere', key: keys.funded }),
    () => expectOneOf([401], setting, { ...question, key: 'sk-svc-nobody' }),
  ])()
}

/** Asks for a fault and leaves what does not end; whatever comes is right, and the others must not notice. */
async function meetFault(setting: Setting): Promise<Report> {
  const { url, agent, draws, keys } = setting
  const fault = FAULT_NAMES[draws.below(FAULT_NAMES.length)] ?? ''
  const question = {
    ...chatOf(setting, keys.funded, { stream: draws.next() < 0.7 }),
    headers: { [FAULT_HEADER]: fault },
    leaveAfterMs: 100 + draws.below(400),
  }
  return { outcomes: [await ask(url, agent, question)] }
}
