import { expect, test } from 'vitest'
import { startEmulator, type Emulator, type EmulatorOptions } from '../../start-emulator.ts'
import { sendChat, postJson, sendRawRequest } from '../../tests/support/requests.ts'
import { BEHAVIOUR_OPTIONS, parseBehaviourOption, type BehaviourOptionId } from './behaviour-options.ts'

/** Sends requests, and returns a short string that differs for each choice of an option. */
type Probe = (emulator: Emulator) => Promise<string>

const QUESTION = '{"model":"o3-mini","messages":[{"role":"user","content":"hi"}]'
const AUTH = 'authorization: Bearer sk-svc-touchstone-funded\r\nhost: x\r\nconnection: close\r\n'

const status = async (response: Promise<Response>) => String((await response).status)
const header = async (response: Promise<Response>, name: string) => String((await response).headers.get(name))
const stream = async (emulator: Emulator) => (await sendChat(emulator, { stream: true, max_tokens: 2 })).text()
/** Returns a stream with pauses of 40 ms. */
const pausingStream = async (emulator: Emulator) => {
  emulator.faults.add('itlMs=40')
  return stream(emulator)
}
const raw = async (emulator: Emulator, method: string, path: string, fields = AUTH, body = '') =>
  sendRawRequest(emulator, `${method} ${path} HTTP/1.1\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`)
const rawStatus = async (...parts: Parameters<typeof raw>) => String((await raw(...parts)).status)
const rawChat = (emulator: Emulator, rest: string, fields = AUTH) =>
  rawStatus(emulator, 'POST', '/v1/chat/completions', fields, `${QUESTION}${rest}}`)
const image = (emulator: Emulator, fields: object = {}) =>
  postJson(emulator, '/v1/images/generations', { model: 'vendorc-4o', prompt: 'cat', size: '256x256', ...fields })
const speak = (emulator: Emulator, fields: object = {}) =>
  postJson(emulator, '/v1/audio/speech', { model: 'vendorc-4o', input: 'hello', ...fields })

async function transcribe(
  emulator: Emulator,
  fields: Readonly<Record<string, string>>,
  bytes = 1000,
): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'o3-mini', ...fields })) form.set(name, value)
  form.set('file', new Blob([new Uint8Array(bytes)]), 'a.wav')
  const headers = { authorization: `Bearer ${emulator.keys.funded}` }
  return fetch(`${emulator.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form })
}

const TOOL = { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }

/** Requests a chat completion. Returns its status, choices and usage as text. */
async function completion(emulator: Emulator, fields: object): Promise<string> {
  const response = await sendChat(emulator, fields)
  const { choices, usage } = (await response.json()) as { choices?: unknown; usage?: unknown }
  return JSON.stringify([response.status, choices, usage])
}

/** Returns the field names of a JSON body, and of the first item in its `data`. */
async function fieldsOf(response: Response): Promise<string> {
  const body = (await response.json()) as { data?: [object] }
  return [body, body.data?.[0] ?? {}].flatMap(Object.keys).join(' ')
}

/** Returns the charge of a request, in units of 0.0001 credit. */
async function cost(emulator: Emulator, call: (key: string) => Promise<unknown>): Promise<string> {
  const { key } = emulator.createAccount({ credits: '1000' })
  await call(key)
  return String(emulator.balance(key)?.chargedUnits)
}

async function abortedBill(emulator: Emulator): Promise<string> {
  const { key } = emulator.createAccount({ credits: '1000' })
  const controller = new AbortController()
  const response = await sendChat(emulator, { stream: true, max_tokens: 100_000 }, { key, signal: controller.signal })
  await response.body?.getReader().read()
  controller.abort()
  await expect.poll(() => emulator.balance(key)?.heldUnits).toBe(0)
  const charged = emulator.balance(key)?.chargedUnits ?? 0
  return charged === 0 ? 'none' : charged >= 400_000 ? 'all' : 'sent'
}

const PROBES: Readonly<Record<BehaviourOptionId, Probe>> = {
  'order-of-refusals': async (emulator) =>
    `${await rawStatus(emulator, 'GET', '/v1/none', 'host: x\r\nconnection: close\r\n')} ${await status(sendChat(emulator, { temperature: 9 }, { key: emulator.keys.noCredits }))}`,
  'wrong-method': (emulator) => rawStatus(emulator, 'DELETE', '/v1/models'),
  'trailing-slash': (emulator) => rawStatus(emulator, 'GET', '/v1/models/'),
  'json-to-multipart': (emulator) => status(postJson(emulator, '/v1/audio/transcriptions', {})),
  'json-media-type': (emulator) => rawChat(emulator, '', `${AUTH}content-type: text/plain\r\n`),
  'unknown-fields': (emulator) => status(sendChat(emulator, { other: 1 })),
  'null-fields': (emulator) => status(sendChat(emulator, { max_tokens: null })),
  'duplicate-fields': (emulator) => rawChat(emulator, ',"max_tokens":1,"max_tokens":2'),
  'integer-form': (emulator) => rawChat(emulator, ',"max_tokens":10.0'),
  roles: async (emulator) => {
    const roles = ['user', 'tool', 'wizard'].map((role) =>
      status(sendChat(emulator, { messages: [{ role, content: 'x' }] })),
    )
    return (await Promise.all(roles)).join(' ')
  },
  'content-parts': (emulator) =>
    status(sendChat(emulator, { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] })),
  'empty-messages': (emulator) => status(sendChat(emulator, { messages: [] })),
  'empty-text': (emulator) => status(speak(emulator, { input: '' })),
  'quality-parameter': async (emulator) =>
    `${await status(sendChat(emulator, { quality: 'best' }))} ${await status(sendChat(emulator, { quality_mode: 'best' }))}`,
  'least-max-tokens': (emulator) => status(sendChat(emulator, { max_tokens: 0 })),
  'most-max-tokens': (emulator) => status(sendChat(emulator, { max_tokens: 131_073 })),
  'most-messages': (emulator) =>
    status(sendChat(emulator, { messages: Array.from({ length: 10_001 }, () => ({ role: 'user', content: '' })) })),
  'least-n': (emulator) => status(image(emulator, { n: 0 })),
  'most-n': (emulator) => status(image(emulator, { n: 11 })),
  'most-file-bytes': (emulator) => status(transcribe(emulator, {}, 26_214_401)),
  'most-json-depth': (emulator) => rawChat(emulator, `,"user":${'['.repeat(20)}${']'.repeat(20)}`),
  'most-json-bytes': (emulator) => rawChat(emulator, `,"user":"${'x'.repeat(2000)}"`),
  capabilities: (emulator) => status(image(emulator)),
  'capability-refusal': (emulator) => status(image(emulator)),
  sizes: (emulator) => status(image(emulator, { size: '300x200' })),
  voices: (emulator) => status(speak(emulator, { voice: 'wizard' })),
  'audio-formats': (emulator) => status(transcribe(emulator, {})),
  language: (emulator) => status(transcribe(emulator, { language: 'en-US' })),
  'scripted-length': async (emulator) => {
    emulator.fixtures.add({ text: 'word '.repeat(300) })
    return completion(emulator, {})
  },
  'max-completion-tokens': async (emulator) => completion(emulator, { max_tokens: 3, max_completion_tokens: 2 }),
  'chat-n': async (emulator) => completion(emulator, { n: 2, max_tokens: 2 }),
  stop: async (emulator) => completion(emulator, { stop: ' ', max_tokens: 2 }),
  'seed-field': async (emulator) => completion(emulator, { seed: 7, max_tokens: 2 }),
  logprobs: async (emulator) => completion(emulator, { logprobs: true, max_tokens: 2 }),
  tools: async (emulator) => completion(emulator, { tools: [TOOL], tool_choice: 'required', max_tokens: 9 }),
  'auto-tool-calls': async (emulator) => completion(emulator, { tools: [TOOL], max_tokens: 9 }),
  'tool-tokens': async (emulator) => completion(emulator, { tools: [TOOL], max_tokens: 1 }),
  'response-format': async (emulator) => completion(emulator, { response_format: { type: 'json_object' } }),
  'image-format': async (emulator) => fieldsOf(await image(emulator, { response_format: 'b64_json' })),
  'transcription-format': async (emulator) => fieldsOf(await transcribe(emulator, { response_format: 'verbose_json' })),
  'speech-format': (emulator) => header(speak(emulator, { response_format: 'wav' }), 'content-type'),
  'speech-speed': async (emulator) =>
    String((await (await speak(emulator, { speed: 2, input: 'hello, you' })).bytes()).length),
  'image-tokens': (emulator) => {
    const image = { type: 'image_url', image_url: { url: 'http://127.0.0.1/a.png' } }
    return completion(emulator, { messages: [{ role: 'user', content: [image] }], max_tokens: 1 })
  },
  'ignored-fields-header': (emulator) => header(sendChat(emulator, { user: 'me' }), 'x-touchstone-ignored-fields'),
  'error-body': async (emulator) => (await sendChat(emulator, { temperature: 9 })).text(),
  challenge: (emulator) => header(sendChat(emulator, {}, { key: 'nobody' }), 'www-authenticate'),
  'retry-after': async (emulator) => {
    const call = () => header(sendChat(emulator, {}, { key: emulator.keys.limited }), 'retry-after')
    const [last = ''] = (await Promise.all(Array.from({ length: 8 }, call))).filter((value) => value !== 'null')
    return last.replaceAll(/\d+/g, 'n')
  },
  'rate-limit-headers': (emulator) =>
    header(sendChat(emulator, {}, { key: emulator.keys.limited }), 'x-ratelimit-limit-requests'),
  'queue-full': async (emulator) => {
    const controller = new AbortController()
    emulator.faults.add('delayMs=30000,times=1')
    const first = sendChat(emulator, {}, { signal: controller.signal }).catch(() => undefined)
    await expect.poll(() => emulator.activeRequests()).toBe(1)
    const second = await status(sendChat(emulator))
    controller.abort()
    await first
    return second
  },
  'bearer-case': (emulator) => rawStatus(emulator, 'GET', '/v1/models', AUTH.replace('Bearer', 'BEARER')),
  'chunk-shape': async (emulator) => String((await stream(emulator)).startsWith('data: {')),
  'completion-fields': async (emulator) => fieldsOf(await sendChat(emulator, { max_tokens: 1 })),
  'done-marker': async (emulator) => String((await stream(emulator)).includes('[DONE]')),
  'line-ends': async (emulator) => JSON.stringify(/[\r\n]+/.exec(await stream(emulator))?.[0]),
  'keep-alive-comments': async (emulator) => ((await stream(emulator)).match(/^: /gm) ?? []).length.toString(),
  'bytes-per-write': async (emulator) => {
    emulator.fixtures.add({ text: 'é' })
    const body = `${QUESTION},"stream":true}`
    // Each HTTP chunk corresponds to one write of the emulator, unless the writes are due together.
    const respond = await raw(emulator, 'POST', '/v1/chat/completions', AUTH, body)
    return `${respond.body.startsWith('1\r\n')} ${respond.body.includes('Ã\r\n')}`
  },
  'stream-usage': async (emulator) => {
    const chunks = (await stream(emulator)).match(/^data: \{.*$/gm) ?? []
    const plain = chunks.filter((chunk) => chunk.includes('"usage"')).map((chunk) => chunk.includes('"choices":[]'))
    const asked = await sendChat(emulator, { stream: true, max_tokens: 2, stream_options: { include_usage: true } })
    return `${plain.join()} ${(await asked.text()).includes('"usage"')}`
  },
  'image-urls': async (emulator) => status(fetch(await urlOf(emulator))),
  'image-url-query': async (emulator) => new URL(await urlOf(emulator)).search,
  'prompt-price': (emulator) =>
    cost(emulator, async (key) => (await sendChat(emulator, { max_tokens: 1 }, { key })).arrayBuffer()),
  'abort-bill': abortedBill,
  'unstreamed-abort-bill': (emulator) =>
    cost(emulator, async (key) => {
      emulator.faults.add('operation=chat,delayMs=30000')
      const controller = new AbortController()
      const request = sendChat(emulator, { max_tokens: 5 }, { key, signal: controller.signal }).catch(() => undefined)
      await expect.poll(() => emulator.balance(key)?.heldUnits).toBeGreaterThan(0)
      controller.abort()
      await request
      await expect.poll(() => emulator.balance(key)?.heldUnits).toBe(0)
    }),
  'tokens-per-image': (emulator) =>
    cost(emulator, (key) => postJson(emulator, '/v1/images/generations', { model: 'o3-mini', prompt: 'cat' }, { key })),
  'models-credits': (emulator) => rawStatus(emulator, 'GET', '/v1/models', AUTH.replace('funded', 'empty')),
  head: (emulator) => rawStatus(emulator, 'HEAD', '/v1/models'),
  cors: async (emulator) => {
    const { head } = await raw(emulator, 'OPTIONS', '/v1/models', `${AUTH}origin: http://page\r\n`)
    return /HTTP\/1.1 (\d+)|allow-origin: .*/gi.exec(head)?.[0] ?? ''
  },
  text: async (emulator) => String(/[^\0-\x7f]/.test(await completion(emulator, {}))),
  reasoning: async (emulator) => (await completion(emulator, {})).match(/"reasoning\w*":/g)?.join() ?? '',
  'reasoning-models': (emulator) => completion(emulator, { model: 'vendorc-4o' }),
  'reasoning-tokens': (emulator) => completion(emulator, {}),
  'tokens-per-chunk': stream,
  'delta-role': stream,
  'tool-call-order': async (emulator) => {
    const call = { name: 'now', arguments: { at: 'noon' } }
    emulator.fixtures.add({ toolCalls: [call, call] })
    return (await sendChat(emulator, { stream: true })).text()
  },
  'event-fields': stream,
  'field-space': stream,
  'finish-reason-place': stream,
  heartbeat: pausingStream,
  'heartbeat-ms': pausingStream,
  'padding-bytes': stream,
  'body-length': async (emulator) => {
    const { head } = await raw(emulator, 'POST', '/v1/chat/completions', AUTH, `${QUESTION}}`)
    return String(/^transfer-encoding: .*$/im.exec(head)?.[0])
  },
  'after-stream': async (emulator) => {
    const body = `${QUESTION},"stream":true}`
    const fields = AUTH.replace('connection: close\r\n', `content-length: ${body.length}\r\n`)
    const request = `POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n${body}GET /v1/models HTTP/1.1\r\n${AUTH}\r\n`
    const { head, body: rest } = await sendRawRequest(emulator, request, { keepOpen: true })
    return `${/^connection: .*$/im.exec(head)?.[0]} ${rest.includes('HTTP/1.1 200')}`
  },
  connection: async (emulator) => {
    const { head } = await raw(emulator, 'GET', '/v1/models', AUTH.replace('connection: close\r\n', ''))
    return String(/^connection: (.*)$/im.exec(head)?.[1])
  },
}

async function urlOf(emulator: Emulator): Promise<string> {
  const { data } = (await (await image(emulator)).json()) as { data: [{ url: string }] }
  return data[0].url
}

/** Values to test for options without named choices. */
const OTHER_VALUES: Readonly<Partial<Record<BehaviourOptionId, string>>> = {
  'least-max-tokens': '0',
  'most-max-tokens': '200000',
  'most-messages': '20000',
  'least-n': '0',
  'most-n': '20',
  'most-file-bytes': '30000000',
  'most-json-bytes': '1024',
  'most-json-depth': '16',
  'tokens-per-image': '7',
  'auto-tool-calls': '100',
  sizes: '256x256+512x512',
  voices: 'alloy+echo',
  capabilities: 'images:vendora-v4-pro',
  'tokens-per-chunk': '2',
  'heartbeat-ms': '10',
  'padding-bytes': '70000',
  'reasoning-tokens': '7',
}

function valuesOf(id: BehaviourOptionId): readonly string[] {
  const row = BEHAVIOUR_OPTIONS[id]
  return row.kind === 'choice' ? Object.keys(row.choices) : [String(row.default), OTHER_VALUES[id] ?? '']
}

/**
 * Additional options without which the tested value has no effect. For example, the emulator rejects a model only if
 * `capabilities` is set.
 */
const COMPANIONS: Readonly<Partial<Record<BehaviourOptionId, object>>> = {
  'reasoning-models': { reasoning: 'reasoning' },
  reasoning: { 'reasoning-models': 'all' },
  'reasoning-tokens': { reasoning: 'hidden', 'reasoning-models': 'all' },
  heartbeat: { 'heartbeat-ms': 10 },
  'heartbeat-ms': { heartbeat: 'comment' },
  'capability-refusal': { capabilities: { images: ['vendora-v4-pro'] } },
}

/** Other options of the emulator without which the tested value has no effect. */
const EMULATOR_OPTIONS: Readonly<Partial<Record<BehaviourOptionId, EmulatorOptions>>> = {
  'queue-full': { slots: 1, queueLength: 0 },
}

test.each(Object.keys(BEHAVIOUR_OPTIONS) as BehaviourOptionId[])(
  '%s: has a visible effect for every value',
  async (id) => {
    const seen = new Map<string, string>()
    for (const value of valuesOf(id)) {
      const parsed = parseBehaviourOption(id, value)
      if (typeof parsed === 'string') throw new Error(parsed)
      await using emulator = await startEmulator({
        ...EMULATOR_OPTIONS[id],
        answerTokens: 'fill',
        options: { ...COMPANIONS[id], ...parsed },
      })
      seen.set(value, await PROBES[id](emulator))
    }
    expect(seen.size).toBeGreaterThan(1)
    expect([...new Set(seen.values())]).toEqual([...seen.values()])
  },
)

test.each([
  [
    'nothing',
    'x',
    "There is no option 'nothing' for unspecified behaviour. emulator/behaviour-options.md lists all options.",
  ],
  ['error-bodies', 'sdk', 'Did you mean error-body'],
  ['max-messages', '4', 'Did you mean empty-messages or'],
  ['error-body', 'xml', 'sdk or detail or text or empty'],
  ['most-n', '0', 'an integer from 1 to 1000'],
  ['most-n', '1e2', 'an integer'],
  ['sizes', '', 'a list such as'],
  ['capabilities', 'songs:o3-mini', "names 'songs'"],
  ['capabilities', 'images:gpt', "names 'gpt'"],
])('rejects the option %s=%s', (id, value, sentence) => {
  expect(parseBehaviourOption(id, value)).toContain(sentence)
})

test('parses the same values from text and from JSON', () => {
  expect(parseBehaviourOption('sizes', ['1x1', '2x2'])).toEqual(parseBehaviourOption('sizes', '1x1+2x2'))
  expect(parseBehaviourOption('most-n', 4)).toEqual(parseBehaviourOption('most-n', '4'))
  const map = { images: ['vendorc-4o'], speech: ['o3-mini', 'vendorc-4o'] }
  expect(parseBehaviourOption('capabilities', map)).toEqual(
    parseBehaviourOption('capabilities', 'images:vendorc-4o;speech:o3-mini+vendorc-4o'),
  )
})

test('lets web pages read images only with cors=any', async () => {
  for (const cors of ['none', 'any'] as const) {
    await using emulator = await startEmulator({ options: { cors } })
    const response = await fetch(await urlOf(emulator))
    await response.arrayBuffer()
    expect(response.headers.get('access-control-allow-origin')).toBe(cors === 'any' ? '*' : null)
  }
})
