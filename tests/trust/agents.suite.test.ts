import { expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../emulator/start-emulator.ts'
import { formatUnits } from '../../emulator/state/credits.ts'
import { callControl, postJson } from '../../emulator/tests/support/requests.ts'

/** Whether to run all agents twice. The nightly tier sets TOUCHSTONE_LONG. */
const IS_LONG = process.env['TOUCHSTONE_LONG'] === '1'
const AGENTS = 200
/** Only every tenth agent ends with JSON, because its generation takes longest. */
const JSON_EVERY = 10
/** Price of the agents' model, in units of 0.0001 credit per token (section 2.1). */
const UNITS_PER_TOKEN = 4
/** Units that suffice for only some of the requests of 50 agents. */
const SCARCE_UNITS = 40_000

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 9 } },
        required: ['city', 'days'],
        additionalProperties: false,
      },
    },
  },
]
const FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    schema: { type: 'object', required: ['yes'], properties: { yes: { type: 'boolean' } } },
  },
}

interface Message {
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[]
}

interface Delta {
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly id?: string; readonly function: { readonly arguments: string } }[]
}

/** Joins the chunks of a stream into the message that the same request returns without streaming. */
function joinChunks(text: string): { message: Message; tokens: number } {
  let content = ''
  let [id, joined] = ['', '']
  let tokens = Number.NaN
  for (const line of text.split('\n').filter((one) => one.startsWith('data: {'))) {
    const chunk = JSON.parse(line.slice(6)) as { choices: { delta: Delta }[]; usage?: { total_tokens: number } | null }
    tokens = chunk.usage?.total_tokens ?? tokens
    const { delta } = chunk.choices[0] ?? {}
    content += delta?.content ?? ''
    for (const call of delta?.tool_calls ?? []) {
      id = call.id ?? id
      joined += call.function.arguments
    }
  }
  const calls = id === '' ? {} : { tool_calls: [{ id, function: { arguments: joined } }] }
  return { message: { content, ...calls }, tokens }
}

interface AgentRun {
  readonly tokens: number
  readonly statuses: readonly number[]
  /** Arguments of the tool call, or else the text, of each response. */
  readonly outputs: readonly string[]
}

/**
 * Runs an agent: a forced tool call, its result, then a question. Every second agent streams. Stops at a 402.
 * @throws Error if a response has any other error status
 */
async function runAgent(emulator: Emulator, key: string, index: number): Promise<AgentRun> {
  const stream = index % 2 === 1
  const messages: object[] = [{ role: 'user', content: `How is the weather at place ${index}?` }]
  const run = { tokens: 0, statuses: [] as number[], outputs: [] as string[] }
  const last = index % JSON_EVERY === 0 ? { response_format: FORMAT } : {}
  for (const step of [{ tools: TOOLS, tool_choice: 'required' }, { tools: TOOLS }, last]) {
    const fields = { ...step, messages, stream, ...(stream ? { stream_options: { include_usage: true } } : {}) }
    const response = await postJson(emulator, '/v1/chat/completions', { model: 'vendora-v4-flash', ...fields }, { key })
    const text = await response.text()
    run.statuses.push(response.status)
    if (response.status === 402) return run
    if (response.status !== 200) throw new Error(`agent ${index} got ${response.status}: ${text}`)
    const { message, tokens } = stream ? joinChunks(text) : readCompletion(text)
    run.tokens += tokens
    const [call] = message.tool_calls ?? []
    run.outputs.push(call?.function.arguments ?? message.content ?? '')
    messages.push({ role: 'assistant', ...message })
    if (call !== undefined) messages.push({ role: 'tool', tool_call_id: call.id, content: '21 degrees' })
    else messages.push({ role: 'user', content: 'Answer in JSON.' })
  }
  return run
}

function readCompletion(text: string): { message: Message; tokens: number } {
  const { choices, usage } = JSON.parse(text) as { choices: [{ message: Message }]; usage: { total_tokens: number } }
  return { message: choices[0].message, tokens: usage.total_tokens }
}

/**
 * Runs all agents concurrently: 50 on each of three accounts, and 50 on an account without sufficient credits for all
 * of them.
 */
async function runAgents() {
  await using emulator = await startEmulator({ seed: 7 })
  const credits = ['1000', '1000', '1000', formatUnits(SCARCE_UNITS)]
  const keys = credits.map((amount) => emulator.createAccount({ credits: amount }).key)
  const runs = await Promise.all(
    Array.from({ length: AGENTS }, (_, index) => runAgent(emulator, keys[index % 4] ?? '', index)),
  )
  const { json: invariant } = await callControl(emulator, '/invariant')
  const accounts = keys.map((key, account) => {
    const own = runs.filter((_, index) => index % 4 === account)
    return {
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
      statuses: own.flatMap(({ statuses }) => statuses),
      ...emulator.balance(key),
    }
  })
  return { runs, accounts, invariant: invariant as { holds: boolean; accounts: { openHolds: number }[] } }
}

test(`charges ${AGENTS} parallel tool-calling agents exactly`, async () => {
  const { runs, accounts, invariant } = await runAgents()
  for (const { tokens, chargedUnits, heldUnits } of accounts) {
    expect({ chargedUnits, heldUnits }).toEqual({ chargedUnits: tokens * UNITS_PER_TOKEN, heldUnits: 0 })
  }
  expect(invariant.holds).toBe(true)
  expect(invariant.accounts.filter(({ openHolds }) => openHolds > 0)).toEqual([])
  const [first, , , scarce] = accounts
  expect(new Set(first?.statuses)).toEqual(new Set([200]))
  expect(first?.statuses).toHaveLength(150)
  expect(new Set(scarce?.statuses)).toEqual(new Set([200, 402]))
  expect(scarce?.chargedUnits).toBeLessThanOrEqual(SCARCE_UNITS)
  const funded = runs.filter((_, index) => index % 4 !== 3)
  for (const { outputs } of funded) {
    expect(JSON.parse(outputs[0] ?? '')).toEqual({ city: expect.any(String), days: expect.any(Number) })
  }
  expect(JSON.parse(runs[0]?.outputs[2] ?? '')).toMatchObject({ yes: expect.any(Boolean) })
  if (!IS_LONG) return
  const again = await runAgents()
  expect(again.runs.filter((_, index) => index % 4 !== 3)).toEqual(funded)
})
