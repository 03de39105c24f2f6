import newman from 'newman'
import * as scenario from './scenario.mjs'

// A Postman collection with a request for each scenario. The script of a request sets the variable `result`.

const { MODEL, HELLO } = scenario
const TOOLS = [
  {
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]
const WEATHER = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'integer' } },
  required: ['city', 'celsius'],
}
const SET_TEXT = `pm.variables.set('result', pm.response.json().choices[0].message.content)`
const SET_STATUS = `pm.variables.set('result', pm.response.code)`
const SET_STREAMED_TEXT = `
  const events = pm.response.text().split('\\n\\n').filter((event) => event.startsWith('data: {'))
  const deltas = events.map((event) => JSON.parse(event.slice(6)).choices[0].delta.content ?? '')
  pm.variables.set('result', deltas.join(''))`
// Sends the same request again with the call and its result, until the model responds with a text.
const LOOP = `
  const { message } = pm.response.json().choices[0]
  const request = JSON.parse(pm.request.body.raw)
  const calls = JSON.parse(pm.variables.get('calls') ?? '[]')
  if (message.tool_calls) {
    for (const call of message.tool_calls) {
      calls.push(JSON.parse(call.function.arguments))
      request.messages.push(message, { role: 'tool', tool_call_id: call.id, content: '21 degrees' })
    }
    pm.variables.set('calls', JSON.stringify(calls))
    pm.variables.set('loop', JSON.stringify(request))
    pm.execution.setNextRequest('tools')
  } else {
    pm.variables.set('result', { calls, text: message.content })
    pm.execution.setNextRequest('structured')
  }`

const chat = (content, fields = {}) => ({ model: MODEL, messages: [{ role: 'user', content }], ...fields })

function item(name, body, script, { key = scenario.KEY, path = 'chat/completions', before = '' } = {}) {
  const header = [
    { key: 'Authorization', value: `Bearer ${key}` },
    { key: 'Content-Type', value: 'application/json' },
  ]
  const request =
    body === undefined
      ? { method: 'GET', header, url: `${scenario.baseURL}/${path}` }
      : {
          method: 'POST',
          header,
          url: `${scenario.baseURL}/${path}`,
          body: { mode: 'raw', raw: typeof body === 'string' ? body : JSON.stringify(body) },
        }
  const event = (listen, exec) => ({ listen, script: { type: 'text/javascript', exec } })
  return { name, request, event: [event('prerequest', before), event('test', script)] }
}

const collection = {
  info: { name: 'scenarios', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  item: [
    item(
      'models',
      undefined,
      `pm.variables.set('result', pm.response.json().data.some(({ id }) => id === '${MODEL}'))`,
      {
        path: 'models',
      },
    ),
    item('chat', chat(HELLO), SET_TEXT),
    item('stream', chat(HELLO, { stream: true }), SET_STREAMED_TEXT),
    item('wrong_key', chat(HELLO), SET_STATUS, { key: scenario.WRONG_KEY }),
    item('no_credits', chat(HELLO), SET_STATUS, { key: scenario.NO_CREDITS_KEY }),
    item('broken_stream', chat(HELLO, { model: scenario.BREAKING_MODEL, stream: true }), SET_STREAMED_TEXT),
    item('tools', '{{loop}}', LOOP, {
      before: `if (!pm.variables.has('loop')) pm.variables.set('loop', ${JSON.stringify(
        JSON.stringify(chat(scenario.ASK_WEATHER, { tools: TOOLS })),
      )})`,
    }),
    item(
      'structured',
      chat(scenario.ASK_JSON, {
        response_format: { type: 'json_schema', json_schema: { name: 'Weather', schema: WEATHER } },
      }),
      `pm.variables.set('result', JSON.parse(pm.response.json().choices[0].message.content))`,
    ),
  ],
}

const results = {}
const run = newman.run({ collection, timeoutRequest: 30_000 })
run.on('request', (error, { item: { name } }) => {
  if (error) results[name] = 'raised'
})
run.on('script', (error, { item: { name }, execution }) => {
  if (error) results[name] = { error: String(error) }
  else results[name] ??= execution.result
})
run.on('done', (error) => {
  if (error) throw error
  console.log(JSON.stringify(results))
  process.exit()
})
