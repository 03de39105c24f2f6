import { expect, test } from 'vitest'
import type { TargetClient } from '../target/target-client.ts'
import { countPrompts } from './count-prompts.ts'

const CHATS = ['one', 'three more words', 'two words'].map((content) => ({
  body: { model: 'm', messages: [{ role: 'user', content }], max_completion_tokens: 64 },
}))

/** A target that counts each word of a prompt as one token. */
const counting: TargetClient = async (_path, body) => {
  const { messages } = body as { messages: [{ content: string }] } // The cast is safe: countPrompts builds this body.
  const usage = { prompt_tokens: messages[0].content.split(' ').length, completion_tokens: 1 }
  return { status: 200, text: JSON.stringify({ usage }) }
}

const count = (client: TargetClient, concurrency = 2) => countPrompts(CHATS, { client, concurrency, timeoutMs: 1000 })

test.each([1, 2, 8])('counts each prompt once with concurrency %d', async (concurrency) => {
  const sent: unknown[] = []
  const client: TargetClient = async (path, body) => {
    sent.push([path, body])
    return counting(path, body)
  }
  expect(await count(client, concurrency)).toEqual({ promptTokens: 6, spentTokens: 9 })
  expect(sent).toEqual(CHATS.map(({ body }) => ['chat/completions', { ...body, max_completion_tokens: 1 }]))
})

test.each<[string, TargetClient, string]>([
  ['an error response', async () => ({ status: 429, text: '' }), 'status 429'],
  ['a response without usage', async () => ({ status: 200, text: '{"choices": []}' }), 'without usage'],
  ['a null response', async () => ({ status: 200, text: 'null' }), 'without usage'],
  ['a fraction of a token', async () => ({ status: 200, text: '{"usage": {"prompt_tokens": 1.5}}' }), 'without usage'],
  ['a response that is not JSON', async () => ({ status: 200, text: '<html>' }), 'without usage'],
  [
    'a refused connection',
    () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
    'connection refused',
  ],
])('stops counting prompts after %s, and reports the cause', async (_name, client, words) => {
  const counted = await count(client)
  expect(counted).toMatchObject({ promptTokens: null, spentTokens: 0 })
  expect(counted.failure?.message).toContain(words)
})

test('reports the tokens used before a request failed, and sends no more requests', async () => {
  let sent = 0
  const client: TargetClient = async (path, body) =>
    (sent += 1) === 2 ? { status: 500, text: '' } : counting(path, body)
  expect(await count(client, 1)).toMatchObject({ promptTokens: null, spentTokens: 2 })
  expect(sent).toBe(2)
})
