import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { MODELS } from '../../contract/facts.ts'
import { type LocalServer, serveHttp } from '../testing/local-server.ts'
import { runConformance } from '../run-conformance.ts'

/** What a target does with a chat; `streams` counts those that were begun before. */
type Answer = (chat: { readonly stream: boolean; readonly streams: number }, response: ServerResponse) => void

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const COMPLETION = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Hi.' } }], usage: USAGE })

/** Serves the list, and chats by `answer`. */
function serveChats(answer: Answer): Promise<LocalServer> {
  let streams = 0
  return serveHttp((request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ object: 'list', data: MODELS }))
    let text = ''
    request.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
    return request.on('end', () => {
      const stream = text.includes('"stream":true')
      answer({ stream, streams }, response)
      streams += stream ? 1 : 0
    })
  })
}

async function judge(url: string, id: string): Promise<string> {
  const { document } = await runConformance({ url, keys: { funded: 'sk-svc-funded-0123456789' }, only: [id] })
  const [entry] = document.checks
  return `${entry?.verdict}: ${entry?.actual}`
}

/** A stream that goes on until the client leaves. */
function streamForEver(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const timer = setInterval(() => response.write('data: {}\n\n'), 5)
  response.on('close', () => clearInterval(timer))
}

test.each<[string, Answer, string]>([
  [
    'goes on is observed',
    ({ stream }, response) => (stream ? streamForEver(response) : response.end(COMPLETION)),
    'observed: the next request after a client left a stream: answered 200',
  ],
  [
    'is disturbed by it fails',
    ({ stream, streams }, response) =>
      stream ? streamForEver(response) : response.writeHead(streams > 0 ? 500 : 200).end(COMPLETION),
    'fail: answered 500',
  ],
  [
    'streams nothing is left after the whole answer',
    (_chat, response) => response.end(COMPLETION),
    'observed: the next request after a client left a stream: answered 200',
  ],
])('after a client left a stream, a target that %s', async (_name, answer, expected) => {
  await using server = await serveChats(answer)
  expect(await judge(server.url, '4.2/left-stream')).toBe(expected)
})

test.each<[string, Answer, string]>([
  [
    'keeps it serves both',
    (_chat, response) => response.end(COMPLETION),
    'observed: two chats in a row on one connection: both were served on it',
  ],
  [
    'closes it, and says so, is observed',
    (_chat, response) => response.setHeader('connection', 'close').end(COMPLETION),
    'observed: two chats in a row on one connection: the target closes it after an answer (connection: close)',
  ],
])('on a connection for two chats, a target that %s', async (_name, answer, expected) => {
  await using server = await serveChats(answer)
  expect(await judge(server.url, '4/kept-connection')).toBe(expected)
})
