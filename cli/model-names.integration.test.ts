import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LocalServer, readBody, serveHttp } from '../common/testing/local-server.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

const MODELS = ['meta-llama/Llama-3.1-8B', 'qwen2.5:0.5b', 'a,b', 'my model', 'a=b']
const KEY = 'sk-svc-0123456789'

let server: LocalServer
let directory = ''
/** Models that the server received. */
const received = new Set<unknown>()

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-model-names-'))
  server = await serveHttp(async (request, response) => {
    const { url = '', method } = request
    const body = String(await readBody(request))
    const respond = (status: number, json: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (url === '/v1/models') {
      const data = MODELS.map((id) => ({ id, object: 'model', created: 1, owned_by: 'me' }))
      return respond(200, { object: 'list', data })
    }
    if (method !== 'POST' || url !== '/v1/chat/completions') return respond(404, { error: { message: 'no such path' } })
    const model = /"model":"([^"]*)"/.exec(body)?.[1]
    received.add(model)
    if (!MODELS.includes(model ?? '')) return respond(404, { error: { message: `no model ${model}` } })
    const message = { role: 'assistant', content: 'Hello.' }
    return respond(200, {
      id: `chatcmpl-${performance.now()}`,
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message }],
    })
  })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => received.clear())

const run = (args: readonly string[]) => runCliInSharedProcess([...args, '--key', KEY])

test.each(MODELS)('conformance and doctor send the model %s', async (model) => {
  const { document } = await run(['conformance', '--target', server.url, '--model', model, '--only', '1/chat-offered'])
  expect([document?.checks[0]?.verdict, document?.target.models['chat']]).toEqual(['pass', model])
  const { stdout } = await run(['doctor', '--target', server.url, '--model', model])
  expect(stdout).toContain(` ${model} completes a chat\n`)
  expect([...received]).toEqual([model])
})

test('conformance sends all models that a target file lists', async () => {
  const file = join(directory, 'listed.json')
  await writeFile(file, JSON.stringify({ url: server.url, models: MODELS }))
  const { document } = await run(['conformance', '--target', file, '--only', '2.1/all-listed,2.1/all-answer-chat'])
  expect(document?.target.ownModels?.ids).toEqual(MODELS)
  expect(document?.checks.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
})

test('init records the models of several flags', async () => {
  const file = join(directory, 'init.json')
  const flags = MODELS.flatMap((model) => ['--model', model])
  const without = 'images,transcriptions,speech,credits,rate-limit'
  const { exitCode } = await run(['init', '--target', server.url, '--file', file, '--without', without, ...flags])
  const { models } = JSON.parse(await readFile(file, 'utf8')) as { models: { id: string }[] }
  expect([exitCode, models.map(({ id }) => id)]).toEqual([0, MODELS])
})

test('explains a list of models in one flag', async () => {
  const list = `${MODELS[0]},${MODELS[1]}`
  const { stdout } = await run(['conformance', '--target', server.url, '--model', list, '--only', '1/chat-offered'])
  expect(stdout).toContain('A comma is part of the ID: repeat --model for each model.')
})
