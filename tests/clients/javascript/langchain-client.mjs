import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import * as scenario from './scenario.mjs'

const { HELLO } = scenario
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const WEATHER = {
  title: 'Weather',
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'integer' } },
  required: ['city', 'celsius'],
}
const textOf = ({ content }) => content

function createModel({ apiKey = scenario.KEY, model = scenario.MODEL } = {}) {
  return new ChatOpenAI({ model, apiKey, configuration: { baseURL: scenario.baseURL } })
}

async function loop(complete) {
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: PARAMETERS } }]
  const model = createModel().bindTools(tools)
  const messages = [new HumanMessage(scenario.ASK_WEATHER)]
  const calls = []
  for (;;) {
    const message = await complete(model, messages)
    if (!message.tool_calls?.length) return { calls, text: message.content }
    messages.push(message)
    for (const { id, args } of message.tool_calls) {
      calls.push(args)
      messages.push(new ToolMessage({ tool_call_id: id, content: '21 degrees' }))
    }
  }
}

await scenario.run({
  chat: async () => (await createModel().invoke(HELLO)).content,
  stream: async (text) => scenario.join(await createModel().stream(text), textOf),
  wrong_key: () => scenario.statusOf(() => createModel({ apiKey: scenario.WRONG_KEY }).invoke(HELLO)),
  no_credits: () => scenario.statusOf(() => createModel({ apiKey: scenario.NO_CREDITS_KEY }).invoke(HELLO)),
  retries: async () => (await createModel().invoke(scenario.FAIL_ONCE)).content,
  broken_stream: () =>
    scenario.outcomeOf(async () =>
      scenario.join(await createModel({ model: scenario.BREAKING_MODEL }).stream(HELLO), textOf),
    ),
  abort: async () => {
    for await (const { content } of await createModel({ model: scenario.SLOW_MODEL }).stream(scenario.COUNT)) {
      if (content !== '') return content
    }
  },
  tools: () => loop((model, messages) => model.invoke(messages)),
  streamed_tools: () =>
    loop(async (model, messages) => {
      let message
      for await (const chunk of await model.stream(messages)) message = message?.concat(chunk) ?? chunk
      return message
    }),
  structured: () => createModel().withStructuredOutput(WEATHER, { method: 'jsonSchema' }).invoke(scenario.ASK_JSON),
})
