import type { IncomingMessage } from 'node:http'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readBody, serveHttp } from '../common/testing/local-server.ts'
import { useK6 } from './testing/run-load.ts'

const runLoad = useK6()
const received: { readonly authorization: string | undefined; readonly model: unknown }[] = []
beforeEach(() => void received.splice(0))

const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}

async function readModel(incoming: IncomingMessage): Promise<unknown> {
  if (incoming.method !== 'POST') return undefined
  const { model }: { model?: unknown } = JSON.parse(String(await readBody(incoming)))
  return model
}

/** Starts a server with a public list of one model. With a key, chats without it get 401. */
function startChatServer(id: string, key?: string) {
  return serveHttp(async (incoming, response) => {
    const { authorization } = incoming.headers
    const model = await readModel(incoming)
    received.push({ authorization, model })
    const isServed = incoming.method === 'GET' || key === undefined || authorization === `Bearer ${key}`
    const status = incoming.url?.startsWith('/v1/') !== true ? 404 : isServed ? 200 : 401
    const list = { object: 'list', data: [{ id, object: 'model', created: 1, owned_by: 'me' }] }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(incoming.method === 'GET' ? list : { ...COMPLETION, model }))
  })
}

test('load-tests a server without keys without a key, and reports no credits', async () => {
  // The specification has a price for this model.
  await using server = await startChatServer('vendora-v4-flash')
  const known = { SERVER: server.url }
  const line = '--target SERVER --scenario chat --no-calibration --iterations 4'
  const { load, stdout, exitCode } = await runLoad(line, { known })
  expect([exitCode, load?.requests]).toEqual([0, expect.objectContaining({ sent: 4, ok: 4 })])
  expect(load?.target.keys).toEqual({})
  expect(load?.credits).toMatchObject({ estimate: null, counted: null, ledger: null })
  expect(stdout).toContain('No key was given')
  expect(stdout).not.toContain('Credits')
  expect(received.filter(({ model }) => model === 'vendora-v4-flash').length).toBeGreaterThanOrEqual(4)
  expect(received.filter(({ authorization }) => authorization !== undefined)).toEqual([])
})

test('sends no key of the environment to a target that a file declares to have no keys', async () => {
  await using server = await startChatServer('own-model')
  const file = join(await mkdtemp(join(tmpdir(), 'touchstone-load-')), 'server.json')
  const authentication = { value: 'none', why: 'a private network' }
  await writeFile(file, JSON.stringify({ url: server.url, models: ['own-model'], differences: { authentication } }))
  const line = '--target FILE --scenario chat --no-calibration --iterations 4'
  const { load } = await runLoad(line, { known: { FILE: file }, env: { TOUCHSTONE_KEY: 'sk-svc-of-another-service' } })
  expect([load?.verdict, load?.requests.ok]).toEqual(['within-budgets', 4])
  expect(received.filter(({ authorization }) => authorization !== undefined)).toEqual([])
})

test('sends no load without a key to a target whose list of models is public', async () => {
  await using server = await startChatServer('own-model', 'sk-svc-0123456789')
  const line = '--target SERVER --model own-model --scenario chat --no-calibration --iterations 4'
  const { load, stdout, exitCode } = await runLoad(line, { known: { SERVER: server.url } })
  expect([exitCode, load?.verdict, load?.requests.sent]).toEqual([3, 'incomplete', 0])
  expect(stdout).toContain(`${server.url} requires a key: set --key or TOUCHSTONE_KEY.`)
})

test('needs a key for a scenario that measures the limit of a key', async () => {
  await using server = await startChatServer('own-model')
  const line = '--target SERVER --model own-model --scenario rate-limit --limit 60/60s --no-calibration'
  const { load, stdout } = await runLoad(line, { known: { SERVER: server.url } })
  expect([load?.verdict, load?.requests.sent]).toEqual(['incomplete', 0])
  expect(stdout).toContain('The scenario rate-limit needs a key: set --limited-key')
})

test('needs the usual key for a scenario if another key is given', async () => {
  await using server = await startChatServer('own-model')
  const line = '--target SERVER --limited-key sk-svc-0123456789 --model own-model --scenario chat --no-calibration'
  const { load, stdout } = await runLoad(line, { known: { SERVER: server.url } })
  expect([load?.verdict, load?.requests.sent]).toEqual(['incomplete', 0])
  expect(stdout).toContain('The scenario chat needs a key: set --key')
})

test.each(['meta-llama/Llama-3.1-8B', 'qwen2.5:0.5b', 'a,b', 'my model', 'a=b'])(
  'load-tests a server with the model %s',
  async (id) => {
    await using server = await startChatServer(id)
    const known = { SERVER: server.url, MODEL: `chat=${id}` }
    const line = '--target SERVER --model MODEL --scenario chat --no-calibration --iterations 4'
    const { load } = await runLoad(line, { known })
    expect([load?.verdict, load?.requests.ok, load?.target.models['chat']]).toEqual(['within-budgets', 4, id])
    expect(new Set(received.map(({ model }) => model))).toEqual(new Set([undefined, id]))
  },
)

test('load-tests a server with the only model that it lists, if no model is given', async () => {
  await using server = await startChatServer('tiny')
  const line = '--target SERVER --scenario chat --no-calibration --iterations 4'
  const { load, stdout, exitCode } = await runLoad(line, { known: { SERVER: server.url } })
  expect([exitCode, load?.requests.ok, load?.target.models['chat']]).toEqual([0, 4, 'tiny'])
  expect(stdout).toContain('No model was given: the run used tiny, the only model that the target lists.')
  expect(new Set(received.map(({ model }) => model))).toEqual(new Set([undefined, 'tiny']))
})
