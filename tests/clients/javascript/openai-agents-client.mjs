import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import * as scenario from './scenario.mjs'

const { HELLO } = scenario
setTracingDisabled(true)

function createAgent({ apiKey = scenario.KEY, model = scenario.MODEL, ...options } = {}) {
  const client = new OpenAI({ baseURL: scenario.baseURL, apiKey })
  return new Agent({ name: 'agent', model: new OpenAIChatCompletionsModel(client, model), ...options })
}

const ask = async (text, options) => (await run(createAgent(options), text)).finalOutput

async function read(agent, text) {
  const result = await run(agent, text, { stream: true })
  const joined = await scenario.join(result.toTextStream())
  await result.completed
  return joined
}

async function loop(answer) {
  const calls = []
  const getWeather = tool({
    name: 'get_weather',
    description: 'Returns the weather in a city.',
    parameters: z.object({ city: z.string() }),
    execute: (input) => {
      calls.push(input)
      return '21 degrees'
    },
  })
  return { text: await answer(createAgent({ tools: [getWeather] }), scenario.ASK_WEATHER), calls }
}

await scenario.run({
  chat: () => ask(HELLO),
  stream: (text) => read(createAgent(), text),
  wrong_key: () => scenario.statusOf(() => ask(HELLO, { apiKey: scenario.WRONG_KEY })),
  no_credits: () => scenario.statusOf(() => ask(HELLO, { apiKey: scenario.NO_CREDITS_KEY })),
  retries: () => ask(scenario.FAIL_ONCE),
  broken_stream: () => scenario.outcomeOf(() => read(createAgent({ model: scenario.BREAKING_MODEL }), HELLO)),
  abort: async () => {
    const abort = new AbortController()
    const options = { stream: true, signal: abort.signal }
    const result = await run(createAgent({ model: scenario.SLOW_MODEL }), scenario.COUNT, options)
    for await (const text of result.toTextStream()) {
      abort.abort()
      return text
    }
  },
  tools: () => loop(async (agent, text) => (await run(agent, text)).finalOutput),
  streamed_tools: () => loop(read),
  structured: () => ask(scenario.ASK_JSON, { outputType: z.object({ city: z.string(), celsius: z.number() }) }),
})
