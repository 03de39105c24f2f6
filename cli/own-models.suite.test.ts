import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forwardRequest, type LocalServer, readBody, serveHttp } from '../common/testing/local-server.ts'
import { startEmulator } from '../emulator/start-emulator.ts'
import { runCliInSharedProcess } from './testing/run-cli.ts'

const EXAMPLES = join(fileURLToPath(new URL('..', import.meta.url)), 'examples')
const SERVER = join(EXAMPLES, 'chat-server.ts')
const TARGET_FILE = join(EXAMPLES, 'chat-server.json')
const KEY = 'sk-svc-chat-server'
const ALL_ABSENT = 'images,transcriptions,speech,credits,rate-limit'

let child: ChildProcess
let url = ''
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-own-models-'))
  child = spawn(process.execPath, [SERVER, '--port', '0'], {
    env: { PATH: process.env['PATH'], CHAT_SERVER_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const data of child.stdout ?? []) {
    url = /(http:\S+)/.exec(String(data))?.[1] ?? ''
    if (url !== '') break
  }
})

afterAll(async () => {
  child.kill('SIGKILL')
  await rm(directory, { recursive: true, force: true })
})

/** Splits a command line at spaces, and replaces `URL`. */
function run(line: string) {
  return runCliInSharedProcess(
    line.split(' ').map((word) => (word === 'URL' ? url : word)),
    { env: { TOUCHSTONE_KEY: KEY } },
  )
}

/**
 * Starts a server that adds a model to the chat server's list of models, and forwards all other requests to the chat
 * server.
 */
function serveLongerList(): Promise<LocalServer> {
  return serveHttp(async (request, response) => {
    if (request.url !== '/v1/models') return forwardRequest(url, request, response)
    const list = await fetch(`${url}/v1/models`, { headers: { authorization: request.headers.authorization ?? '' } })
    const text = await list.text()
    const longer = text.replace('"data":[', '"data":[{"id":"thinker","object":"model","created":1,"owned_by":"a"},')
    return response.writeHead(list.status, { 'content-type': 'application/json' }).end(longer)
  })
}

test('states in the headline that the emulator has models beyond those of the specification', async () => {
  await using emulator = await startEmulator({ models: [{ id: 'gpt-4o', aliasOf: 'vendorc-4o' }] })
  const { exitCode, stdout, document } = await runCliInSharedProcess(
    ['conformance', '--target', emulator.url, '--only', '2.1', '--only', '4.1'],
    { env: { TOUCHSTONE_KEY: emulator.keys.funded } },
  )
  expect([exitCode, document?.summary]).toMatchObject([0, { fail: 0, warn: 0 }])
  const remark = 'The target lists 1 model beyond those of §2.1 Model. The run did not test it.'
  expect(stdout.slice(0, stdout.indexOf('  §2.1'))).toContain(remark)
  expect(document?.remarkFindings).toEqual([{ code: 'additional-models', params: { models: 1 } }])
})

describe('a server of chat alone, with models of its own and without credits', () => {
  test('a server that offers only chat conforms with a single command', async () => {
    const { exitCode, stdout, document } = await run(
      `conformance --target URL --model parrot-small --model parrot-large --without ${ALL_ABSENT} --strict`,
    )
    expect(stdout).toContain(
      'CONFORMANT (strict; not offered: images, transcriptions, speech, credits, rate-limit; 2 models declared)',
    )
    expect([exitCode, document?.summary]).toMatchObject([0, { fail: 0, warn: 0, notTestable: 0, error: 0 }])
    expect(document?.summary.pass).toBeGreaterThan(100)
    expect(document?.target).toMatchObject({
      models: { chat: 'parrot-small' },
      ownModels: { origin: 'declared', ids: ['parrot-small', 'parrot-large'] },
    })
    const offer = document?.notPlanned.find(({ id }) => id === '1/images-offered')
    expect(offer).toMatchObject({ code: 'not-offered', reason: 'the target does not offer images' })
  })

  test('a server that offers only chat conforms with its target file', async () => {
    const file = join(directory, 'chat-server.json')
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(TARGET_FILE, 'utf8')), url }))
    const held = await run(`conformance --target ${file} --only 1 --only 2.1 --only 4.1`)
    expect([held.exitCode, held.stderr]).toEqual([0, ''])
  })

  test('without declarations, a server that offers only chat fails for missing operations but not for chat', async () => {
    const { exitCode, stdout, document } = await run('conformance --target URL --only 1 --only 2.1')
    const failed = document?.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
    expect(failed).toEqual(['1/images-offered', '1/transcriptions-offered', '1/speech-offered', '2.1/all-listed'])
    expect(document?.checks.find(({ id }) => id === '1/chat-offered')?.verdict).toBe('pass')
    expect([exitCode, document?.spent.creditsUpperBound]).toEqual([1, null])
    expect(stdout).toContain('The target lists 2 models of its own')
  })

  test('init writes a target file that makes the next run pass', async () => {
    const file = join(directory, 'target.json')
    const init = await run(`init --target URL --file ${file} --without credits`)
    expect([init.exitCode, init.stdout]).toEqual([0, expect.stringContaining('2 models of the target for chat, and ')])
    expect(init.stdout).toContain(
      'These operations failed and are recorded as not offered: images, transcriptions, speech.',
    )
    expect(init.stdout).toContain('Without --limited-key a run is incomplete.')
    const draft: unknown = JSON.parse(await readFile(file, 'utf8'))
    expect(draft).toMatchObject({
      operations: { images: false, transcriptions: false, speech: false },
      credits: false,
      models: [
        { id: 'parrot-small', operations: ['chat'] },
        { id: 'parrot-large', operations: ['chat'] },
      ],
    })
    expect(draft).not.toHaveProperty('rateLimit')
    expect(draft).not.toHaveProperty(['declares', '2.4/url-key'])
    expect(draft).not.toHaveProperty(['declares', '4.5/voice-other'])
    expect(draft).not.toHaveProperty(['declares', '4.4/json-body'])
    const held = await run(`conformance --target ${file} --without rate-limit --only 1 --only 2.1 --only 2.3`)
    expect([held.exitCode, held.document?.summary]).toMatchObject([0, { fail: 0, notTestable: 0 }])
  })

  test('doctor finds that the target serves a chat, and names the model', async () => {
    const { stdout } = await run('doctor --target URL --json')
    expect(JSON.parse(stdout)).toContainEqual({ name: 'chat', state: 'ok', message: 'parrot-small completes a chat' })
    const other = await run('doctor --target URL --model lost --json')
    expect(JSON.parse(other.stdout)).toContainEqual(
      expect.objectContaining({
        name: 'chat',
        state: 'error',
        message: expect.stringContaining('lost completes no chat'),
      }),
    )
    expect(other.exitCode).toBe(3)
  })

  test('rejects a spend limit if prices are unknown', async () => {
    const { exitCode, stdout } = await run('conformance --target URL --model parrot-small --max-credits 1')
    expect([exitCode, stdout]).toEqual([3, expect.stringContaining('The price of the model parrot-small is unknown')])
  })
})

test('searches the list of models for one that serves chat, and does not fail if none does', async () => {
  await using longer = await serveLongerList()
  const { document } = await run(`conformance --target ${longer.url} --only 1/chat-offered --only 2.1`)
  const init = await run(`init --target ${longer.url} --json`)
  expect(document?.target.models['chat']).toBe('parrot-small')
  const failed = document?.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  expect(failed).toEqual(['2.1/all-listed'])
  expect(document?.checks.find(({ id }) => id === '2.1/all-answer-chat')?.actual).toBe(
    '2 of 3 listed models returned a completion',
  )
  expect(JSON.parse(init.stdout)).toMatchObject({
    models: [{ id: 'thinker', operations: [] }, { id: 'parrot-small' }, {}],
  })
})

test('init writes all models of a gateway whose completions name another model', async () => {
  const ids = ['small', 'large', 'embeddings']
  await using server = await serveHttp(async (request, response) => {
    const [, model] = /"model":"(\w+)"/.exec(String(await readBody(request))) ?? []
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (request.url === '/v1/models') {
      return send(200, {
        object: 'list',
        data: ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'me' })),
      })
    }
    const isServed = request.url === '/v1/chat/completions' && (model === 'small' || model === 'large')
    if (!isServed) return send(404, { error: { message: 'not found' } })
    return send(200, {
      id: `chatcmpl-${Math.random()}`,
      object: 'chat.completion',
      created: 1_700_000_000,
      model: `${model}-2025-04-14`,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    })
  })
  const { stdout } = await run(`init --target ${server.url} --json`)
  const draft: { readonly models: unknown } = JSON.parse(stdout)
  expect(draft.models).toEqual([
    { id: 'small', operations: ['chat'] },
    { id: 'large', operations: ['chat'] },
    { id: 'embeddings', operations: [] },
  ])
})
