import OpenAI, { toFile } from 'openai'
import * as scenario from './scenario.mjs'

const { MODEL, HELLO } = scenario
const client = createClient()

function createClient(apiKey = scenario.KEY) {
  return new OpenAI({ baseURL: scenario.baseURL, apiKey })
}

function ask(content, { key, model = MODEL, ...fields } = {}) {
  return createClient(key).chat.completions.create({ model, messages: [{ role: 'user', content }], ...fields })
}

const textOf = (chunk) => chunk.choices[0]?.delta.content
const tools = [
  {
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]

async function loop(complete) {
  const messages = [{ role: 'user', content: scenario.ASK_WEATHER }]
  const calls = []
  for (;;) {
    const { message } = (await complete({ model: MODEL, messages, tools })).choices[0]
    if (!message.tool_calls?.length) return { calls, text: message.content }
    messages.push(message)
    for (const call of message.tool_calls) {
      calls.push(JSON.parse(call.function.arguments))
      messages.push({ role: 'tool', tool_call_id: call.id, content: '21 degrees' })
    }
  }
}

await scenario.run({
  models: async () => (await client.models.list()).data.some(({ id }) => id === MODEL),
  chat: async () => (await ask(HELLO)).choices[0].message.content,
  stream: async (text) => scenario.join(await ask(text, { stream: true }), textOf),
  wrong_key: () => scenario.statusOf(() => ask(HELLO, { key: scenario.WRONG_KEY })),
  no_credits: () => scenario.statusOf(() => ask(HELLO, { key: scenario.NO_CREDITS_KEY })),
  retries: async () => (await ask(scenario.FAIL_ONCE)).choices[0].message.content,
  broken_stream: () =>
    scenario.outcomeOf(async () =>
      scenario.join(await ask(HELLO, { model: scenario.BREAKING_MODEL, stream: true }), textOf),
    ),
  abort: async () => {
    for await (const chunk of await ask(scenario.COUNT, { model: scenario.SLOW_MODEL, stream: true })) {
      if (textOf(chunk)) return textOf(chunk)
    }
  },
  tools: () => loop((request) => client.chat.completions.create(request)),
  streamed_tools: () => loop((request) => client.chat.completions.stream(request).finalChatCompletion()),
  structured: async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' }, celsius: { type: 'integer' } } }
    const response_format = { type: 'json_schema', json_schema: { name: 'Weather', schema } }
    return JSON.parse((await ask(scenario.ASK_JSON, { response_format })).choices[0].message.content)
  },
  image: async () => {
    const { data } = await client.images.generate({ model: 'vendorc-4o', prompt: 'a harbor', size: '512x512' })
    return Buffer.from(await (await fetch(data[0].url)).arrayBuffer()).toString('latin1', 1, 4)
  },
  audio: async () => {
    const input = 'The rain has stopped.'
    const speech = await client.audio.speech.create({ model: 'vendorc-4o', voice: 'alloy', input })
    const file = await toFile(speech, 'speech.mp3')
    return (await client.audio.transcriptions.create({ model: scenario.SLOW_MODEL, file })).text
  },
})
