import newman from 'newman'
import * as scenario from './scenario.mjs'

// A Postman collection with a request for each scenario. The script of a request writes its result to the environment.

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
const setResult = (value) => `pm.environment.set(pm.info.requestName, JSON.stringify(${value}))`
const SET_TEXT = setResult('pm.response.json().choices[0].message.content')
const SET_STATUS = setResult('pm.response.code')
const SET_STREAMED_TEXT = `
  const events = pm.response.text().split('\\n\\n').filter((event) => event.startsWith('data: {'))
  const deltas = events.map((event) => JSON.parse(event.slice(6)).choices[0].delta.content ?? '')
  ${setResult("deltas.join('')")}`
// Repeats the request with the tool call and its result added to the messages, until the model responds with a text.
const LOOP = `
  const { message } = pm.response.json().choices[0]
  const next = JSON.parse(pm.request.body.raw)
  const calls = JSON.parse(pm.environment.get('calls') ?? '[]')
  if (message.tool_calls) {
    for (const call of message.tool_calls) {
      calls.push(JSON.parse(call.function.arguments))
      next.messages.push(message, { role: 'tool', tool_call_id: call.id, content: '21 degrees' })
    }
    pm.environment.set('calls', JSON.stringify(calls))
    pm.environment.set('loop', JSON.stringify(next))
    pm.execution.setNextRequest('tools')
  } else {
    ${setResult('{ calls, text: message.content }')}
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
    item('models', undefined, setResult(`pm.response.json().data.some(({ id }) => id === '${MODEL}')`), {
      path: 'models',
    }),
    item('chat', chat(HELLO), SET_TEXT),
    item('stream', chat(HELLO, { stream: true }), SET_STREAMED_TEXT),
    item('wrong_key', chat(HELLO), SET_STATUS, { key: scenario.WRONG_KEY }),
    item('no_credits', chat(HELLO), SET_STATUS, { key: scenario.NO_CREDITS_KEY }),
    item('broken_stream', chat(HELLO, { model: scenario.BREAKING_MODEL, stream: true }), SET_STREAMED_TEXT),
    item('tools', '{{loop}}', LOOP, {
      before: `if (!pm.environment.has('loop')) pm.environment.set('loop', ${JSON.stringify(
        JSON.stringify(chat(scenario.ASK_WEATHER, { tools: TOOLS })),
      )})`,
    }),
    item(
      'structured',
      chat(scenario.ASK_JSON, {
        response_format: { type: 'json_schema', json_schema: { name: 'Weather', schema: WEATHER } },
      }),
      setResult('JSON.parse(pm.response.json().choices[0].message.content)'),
    ),
  ],
}

const failures = {}
const run = newman.run({ collection, timeoutRequest: 30_000 })
run.on('request', (error, { item: { name } }) => {
  if (error) failures[name] = 'raised'
})
run.on('script', (error, { item: { name } }) => {
  if (error) failures[name] ??= { error: error.message }
})
run.on('done', (error, { environment }) => {
  if (error) throw error
  const names = new Set(collection.item.map(({ name }) => name))
  const results = environment.values
    .filter(({ key }) => names.has(key))
    .map(({ key, value }) => [key, JSON.parse(value)])
  console.log(JSON.stringify({ ...Object.fromEntries(results), ...failures }))
  process.exit()
})
