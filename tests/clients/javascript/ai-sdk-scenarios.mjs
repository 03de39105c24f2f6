import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import * as scenario from './scenario.mjs'

const { MODEL, HELLO } = scenario

/**
 * Runs the scenarios with a function that creates a chat model of a provider from an API key and a model ID. Also runs
 * the media scenarios that the provider supports.
 */
export async function runAiSdk(createModel, media) {
  const model = createModel(scenario.KEY, MODEL)
  const ask = (prompt, key = scenario.KEY) => generateText({ model: createModel(key, MODEL), prompt, maxRetries: 0 })

  async function loop(generate) {
    const calls = []
    const get_weather = tool({
      description: 'Returns the weather in a city.',
      inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
      execute: (input) => {
        calls.push(input)
        return '21 degrees'
      },
    })
    const text = await generate({
      model,
      prompt: scenario.ASK_WEATHER,
      tools: { get_weather },
      stopWhen: stepCountIs(5),
    })
    return { calls, text }
  }

  await scenario.run({
    chat: async () => (await ask(HELLO)).text,
    stream: async (prompt) => scenario.join(streamText({ model, prompt }).textStream),
    wrong_key: () => scenario.statusOf(() => ask(HELLO, scenario.WRONG_KEY)),
    no_credits: () => scenario.statusOf(() => ask(HELLO, scenario.NO_CREDITS_KEY)),
    retries: async () => (await generateText({ model, prompt: scenario.FAIL_ONCE })).text,
    broken_stream: async () => {
      let failed = false
      const onError = () => {
        failed = true
      }
      const breaking = createModel(scenario.KEY, scenario.BREAKING_MODEL)
      const outcome = await scenario.outcomeOf(() =>
        scenario.join(streamText({ model: breaking, prompt: HELLO, onError }).textStream),
      )
      return failed ? 'raised' : outcome
    },
    abort: async () => {
      const abort = new AbortController()
      const slow = createModel(scenario.KEY, scenario.SLOW_MODEL)
      for await (const text of streamText({ model: slow, prompt: scenario.COUNT, abortSignal: abort.signal })
        .textStream) {
        abort.abort()
        return text
      }
    },
    tools: () => loop(async (options) => (await generateText(options)).text),
    streamed_tools: () => loop((options) => scenario.join(streamText(options).textStream)),
    structured: async () => {
      const schema = jsonSchema({
        type: 'object',
        properties: { city: { type: 'string' }, celsius: { type: 'integer' } },
        required: ['city', 'celsius'],
        additionalProperties: false,
      })
      return (await generateText({ model, prompt: scenario.ASK_JSON, output: Output.object({ schema }) })).output
    },
    ...media,
  })
}
