import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { MODELS } from '../../contract/facts.ts'
import { parseJson } from '../http/decode-body.ts'
import { runConformance } from '../run-conformance.ts'
import { type LocalServer, serveHttp } from '../../common/testing/local-server.ts'

const LISTED_MODEL = 'listed-model'

/**
 * Starts a server that lists only the model `listed`, and serves chats with the given models. It rejects other models
 * and a `max_tokens` below `minTokens` with 400.
 */
function serveChats(served: readonly string[], listed = LISTED_MODEL, minTokens = 1): Promise<LocalServer> {
  return serveHttp(async (request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (request.method === 'GET') {
      return send(200, { object: 'list', data: [{ id: listed, object: 'model', created: 1, owned_by: 'owner' }] })
    }
    const body = parseJson(await text(request))
    const model = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined
    if (typeof model !== 'string' || !served.includes(model))
      return send(400, { error: { message: `unknown model ${String(model)}` } })
    const bound = typeof body === 'object' && body !== null && 'max_tokens' in body ? body.max_tokens : undefined
    if (Number(bound) < minTokens) return send(400, { error: { message: 'max_tokens is too small' } })
    send(200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    })
  })
}

async function runChecks(url: string, targetFile: Record<string, unknown> = {}) {
  const only = ['1/chat-offered', '2.1/all-listed', '2.1/all-answer-chat']
  const { document } = await runConformance({ url, keys: { funded: 'sk-svc-key' }, only, ...targetFile })
  const verdicts = new Map(document.checks.map(({ id, verdict }) => [id, verdict]))
  return { document, verdicts }
}

test('uses the specified models if the target serves them but lists only a model that it does not serve', async () => {
  await using server = await serveChats(MODELS.map(({ id }) => id))
  const { document, verdicts } = await runChecks(server.url)
  expect(verdicts.get('1/chat-offered')).toBe('pass')
  expect(verdicts.get('2.1/all-answer-chat')).toBe('pass')
  expect(document.causes.map(({ title }) => title)).toEqual([expect.stringContaining('The target does not list ')])
})

test('uses the listed models if the target serves one of them', async () => {
  await using server = await serveChats([LISTED_MODEL])
  const { document, verdicts } = await runChecks(server.url)
  expect(verdicts.get('1/chat-offered')).toBe('pass')
  expect(document.remarkFindings).toContainEqual({ code: 'own-models', params: { models: 1 } })
})

test('does not call the listed models unknown if the target serves no model', async () => {
  await using server = await serveChats([])
  const { document, verdicts } = await runChecks(server.url)
  expect(verdicts.get('1/chat-offered')).toBe('fail')
  const titles = document.causes.map(({ title }) => title)
  expect(titles).toContain('Requests to `POST /v1/chat/completions` get 400')
  expect(titles).toContainEqual(expect.stringContaining('The target does not list '))
  expect(document.remarkFindings.map(({ code, params }) => [code, params['model']])).toContainEqual([
    'model-rejected',
    LISTED_MODEL,
  ])
})

test('uses the specified models if the only listed ID is empty', async () => {
  await using server = await serveChats(['', ...MODELS.map(({ id }) => id)], '')
  const { document } = await runChecks(server.url)
  expect(document.remarkFindings).not.toContainEqual(expect.objectContaining({ code: 'own-models' }))
  expect(document.causes.map(({ title }) => title)).toEqual([expect.stringContaining('The target does not list ')])
})

test('uses the specified models if the owner declares one of them for chat but the target lists only others', async () => {
  await using server = await serveChats(MODELS.map(({ id }) => id))
  const { document, verdicts } = await runChecks(server.url, { models: { chat: MODELS[0]?.id } })
  expect(verdicts.get('2.1/all-answer-chat')).toBe('pass')
  expect(document.causes.map(({ title }) => title)).toEqual([expect.stringContaining('The target does not list ')])
})

test.each([
  ['a specified model', MODELS[0]?.id ?? ''],
  ['its own model', LISTED_MODEL],
])('uses a larger max_tokens if the target serves %s but rejects 16', async (_name, model) => {
  await using server = await serveChats([model, ...MODELS.map(({ id }) => id)], model, 32)
  const only = ['1/chat-offered', '4.2/temperature-lowest', '4.2/unicode-content', '4.2/content-empty']
  const { document } = await runConformance({ url: server.url, keys: { funded: 'sk-svc-key' }, only })
  expect(document.checks.map(({ verdict }) => verdict).toSorted()).toEqual(['observed', 'pass', 'pass', 'pass'])
})
