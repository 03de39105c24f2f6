import { expect, test } from 'vitest'
import { parseJsonText, startEmulator, type Emulator } from '../start-emulator.ts'

const MODEL = 'vendora-v4-flash'

const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const nestObjects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** JSON texts of every place in which a request may contain a JSON value, for each path. `DEEP` stands for the value. */
const REQUESTS: readonly (readonly [path: string, body: string])[] = [
  ...[
    'DEEP',
    '{"model":DEEP}',
    '{"model":"M","messages":DEEP}',
    '{"model":"M","messages":[{"role":"user","content":DEEP}]}',
    '{"model":"M","messages":[{"role":"user","content":[{"type":"text","text":"a","more":DEEP}]}]}',
    '{"model":"M","messages":[{"role":"assistant","content":"a","tool_calls":DEEP}]}',
    '{"model":"M","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":DEEP}}]}]}',
    '{"model":"M","messages":[{"role":"assistant","content":"a","function_call":DEEP},{"role":"function"}]}',
    '"response_format":DEEP',
    '"tools":DEEP',
    '"tool_choice":DEEP',
    '"functions":DEEP',
    '"stream_options":DEEP',
    '"stop":DEEP',
    '"metadata":DEEP',
    '"n":DEEP',
    '"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"const":DEEP}}}',
    '"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"more":DEEP}}}',
    '"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":DEEP}}}]',
  ].map((text) => {
    const body = text.startsWith('"') ? `{"model":"M","messages":[{"role":"user","content":"a"}],${text}}` : text
    return ['/v1/chat/completions', body] as const
  }),
  ['/v1/images/generations', '{"model":"M","prompt":"a","more":DEEP}'],
  ['/v1/audio/speech', '{"model":"M","input":"a","more":DEEP}'],
  ['/v1/embeddings', '{"model":"M","input":DEEP}'],
  ['/v1/embeddings', '{"model":"M","input":"a","user":DEEP}'],
  ...['DEEP', '[{"role":"user","content":DEEP}]', '[{"type":"tool_search_output","tools":DEEP}]'].map(
    (input) => ['/v1/responses', `{"model":"M","input":${input}}`] as const,
  ),
  ...['metadata', 'text', 'reasoning', 'tools', 'tool_choice', 'include', 'prompt_cache_options', 'other'].map(
    (name) => ['/v1/responses', `{"model":"M","input":"a","${name}":DEEP}`] as const,
  ),
  ['/__emulator/accounts', '{"credits":DEEP}'],
  ['/__emulator/clock', '{"advanceMs":DEEP}'],
  ['/__emulator/faults', '{"status":500,"body":DEEP}'],
  ['/__emulator/fixtures', 'DEEP'],
  ...['"json":DEEP', '"body":DEEP', '"toolCalls":[{"name":"f","arguments":DEEP}]'].map(
    (response) => ['/__emulator/fixtures', `{"message":"a",${response}}`] as const,
  ),
  ['/__emulator/fixtures', '{"message":{"json":DEEP},"text":"a"}'],
]

async function send(emulator: Emulator, path: string, body: string): Promise<string> {
  const response = await fetch(emulator.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.keys.funded}`, 'content-type': 'application/json' },
    body: body.replace('"model":"M"', `"model":"${MODEL}"`),
  })
  return `${response.status} ${await response.text()}`
}

test.each(['on', 'off'] as const)(
  'rejects every body with deeply nested JSON with 400, with the fast path %s',
  async (fastPath) => {
    await using emulator = await startEmulator({ fastPath, extensions: ['responses', 'embeddings'] })
    for (const [path, body] of REQUESTS) {
      for (const deep of [nest(600), nestObjects(6000), '['.repeat(1_000_000)]) {
        const seen = await send(emulator, path, body.replace('DEEP', deep))
        expect(seen, `${path} ${body}`).toMatch(/^400 .*ested more than 512 deep/)
      }
    }
  },
)

test.each(['on', 'off'] as const)(
  'accepts values that are nested as deeply as the limit allows, with the fast path %s',
  async (fastPath) => {
    const options = { 'most-json-depth': 1000 }
    await using emulator = await startEmulator({ fastPath, extensions: ['responses', 'embeddings'], options })
    for (const [path, body] of REQUESTS.filter(([name]) => name.startsWith('/v1/'))) {
      for (const deep of [nest(990), nestObjects(990)]) {
        const seen = await send(emulator, path, body.replace('DEEP', deep))
        expect(seen, `${path} ${body}`).toMatch(/^(?:200|400) /)
        expect(seen).not.toContain('nested more than 1000')
      }
    }
  },
)

test('accepts deeply nested JSON in the text of arguments', async () => {
  await using emulator = await startEmulator({ extensions: ['responses'] })
  const call = { type: 'function_call', call_id: '1', name: 'f', arguments: nestObjects(6000) }
  const output = { type: 'function_call_output', call_id: '1', output: nest(6000) }
  const body = JSON.stringify({ model: MODEL, input: [call, output] })
  expect(await send(emulator, '/v1/responses', body)).toMatch(/^200 /)
})

test('rejects deeply nested JSON in a fault header and in a file', async () => {
  await using emulator = await startEmulator({ allowFaultHeader: true })
  const response = await fetch(`${emulator.url}/v1/models`, {
    headers: {
      authorization: `Bearer ${emulator.keys.funded}`,
      'x-touchstone-fault': `{"status":500,"body":${nest(2000)}}`,
    },
  })
  expect(response.status).toBe(400)
  expect(() => parseJsonText(nest(2000))).toThrow(new SyntaxError('Nested more than 512 deep'))
})
