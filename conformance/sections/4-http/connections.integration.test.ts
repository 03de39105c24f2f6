import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { MODELS } from '../../../contract/facts.ts'
import { type LocalServer, serveHttp } from '../../../common/testing/local-server.ts'
import { runConformance } from '../../run-conformance.ts'

/** Responds to a chat. `streams` is the number of streams that the server started before this chat. */
type ChatHandler = (chat: { readonly stream: boolean; readonly streams: number }, response: ServerResponse) => void

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const COMPLETION = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Hi.' } }], usage: USAGE })

function serveChats(handleChat: ChatHandler): Promise<LocalServer> {
  let streams = 0
  return serveHttp((request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ object: 'list', data: MODELS }))
    let text = ''
    request.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
    return request.on('end', () => {
      const stream = text.includes('"stream":true')
      handleChat({ stream, streams }, response)
      streams += stream ? 1 : 0
    })
  })
}

async function runCheck(url: string, id: string): Promise<string> {
  const { document } = await runConformance({ url, keys: { funded: 'sk-svc-funded-0123456789' }, only: [id] })
  const [entry] = document.checks
  return `${entry?.verdict}: ${entry?.actual}`
}

/** Streams a completion for half a second, or until the client closes the connection. */
function streamSlowly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hi.' } }] })
  let events = 0
  const timer = setInterval(() => {
    events += 1
    if (events <= 100) return response.write(`data: ${chunk}\n\n`)
    clearInterval(timer)
    return response.end('data: [DONE]\n\n')
  }, 5)
  response.on('close', () => clearInterval(timer))
}

test.each<[string, ChatHandler, string]>([
  [
    'serves it',
    ({ stream }, response) => (stream ? streamSlowly(response) : response.end(COMPLETION)),
    'pass: the target served the next request after 6 aborted streams',
  ],
  [
    'sends no streams',
    (_chat, response) => response.end(COMPLETION),
    'pass: the target served the next request after 2 aborted streams',
  ],
])('sends a chat after aborted streams to a target that %s', async (_name, handleChat, expected) => {
  await using server = await serveChats(handleChat)
  expect(await runCheck(server.url, '4.2/left-stream')).toBe(expected)
})

test('after clients abort streams, a target that returns 500 to the next chat fails the check of breakdowns', async () => {
  // The control request of streams, and eight aborted streams.
  const served = 9
  await using server = await serveChats(({ stream, streams }, response) => {
    if (streams >= served) return void response.writeHead(500).end()
    if (stream) streamSlowly(response)
    else response.end(COMPLETION)
  })
  const { document, exitCode } = await runConformance({
    url: server.url,
    keys: { funded: 'sk-svc-funded-0123456789' },
    only: ['4.2/left-stream', '7/breakdown-chat'],
  })
  expect(document.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['4.2/left-stream', 'not-testable'],
    ['7/breakdown-chat', 'fail'],
  ])
  expect(document.checks[0]?.actual).toContain('POST /v1/chat/completions was down')
  expect(document.checks[1]?.evidence?.map(({ response }) => response?.status)).toEqual([500, 500, 500, 500])
  expect(exitCode).toBe(1)
})

test.each<[string, ChatHandler, string]>([
  [
    'keeps the connection open',
    (_chat, response) => response.end(COMPLETION),
    'observed: a stream, a chat and another stream on one connection: the target keeps it after each response',
  ],
  [
    'sends connection: close',
    (_chat, response) => response.setHeader('connection', 'close').end(COMPLETION),
    'observed: a stream, a chat and another stream on one connection: the target closes it as announced after each response',
  ],
])('observes what a target does with a connection after a response if it %s', async (_name, handleChat, expected) => {
  await using server = await serveChats(handleChat)
  expect(await runCheck(server.url, '4/kept-connection')).toBe(expected)
})

test('repeats a request on a new connection if the target closes each connection after one response', async () => {
  const used = new WeakSet<object>()
  let number = 0
  await using server = await serveChats(({ stream }, response) => {
    const { socket } = response.req
    if (used.has(socket)) return void socket.destroy()
    used.add(socket)
    number += 1
    const id = `chatcmpl-${number}`
    if (!stream) return void response.end(JSON.stringify({ ...(JSON.parse(COMPLETION) as object), id }))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = { id, choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] }
    return void response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  })
  expect(await runCheck(server.url, '1/own-answer-kept')).toMatch(/^pass/)
})
