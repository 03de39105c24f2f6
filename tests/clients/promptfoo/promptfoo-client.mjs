import promptfoo from 'promptfoo'
import * as scenario from './scenario.mjs'

const { MODEL, HELLO } = scenario
const WEATHER = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'integer' } },
  required: ['city', 'celsius'],
  additionalProperties: false,
}

async function evaluate(prompt, { key = scenario.KEY, ...config } = {}) {
  const provider = { id: `openai:chat:${MODEL}`, config: { apiBaseUrl: scenario.baseURL, apiKey: key, ...config } }
  const summary = await promptfoo.evaluate(
    { prompts: [prompt], providers: [provider], tests: [{ vars: {} }], writeLatestResults: false },
    { cache: false, showProgressBar: false },
  )
  const { results } = await summary.toEvaluateSummary()
  return results[0]
}

async function ask(prompt, config) {
  const { error, response } = await evaluate(prompt, config)
  if (error) throw new Error(error)
  return response.output
}

/** Returns the HTTP status in the text of an error, such as "API error: 401 Unauthorized". */
async function statusOf(key) {
  const { error } = await evaluate(HELLO, { key })
  return Number(/\b[45]\d\d\b/.exec(error ?? '')?.[0])
}

await scenario.run({
  chat: () => ask(HELLO),
  wrong_key: () => statusOf(scenario.WRONG_KEY),
  no_credits: () => statusOf(scenario.NO_CREDITS_KEY),
  retries: () => ask(scenario.FAIL_ONCE),
  structured: () =>
    ask(scenario.ASK_JSON, {
      response_format: { type: 'json_schema', json_schema: { name: 'Weather', strict: true, schema: WEATHER } },
    }),
})
