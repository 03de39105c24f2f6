import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MODELS } from '../contract/facts.ts'
import { serveHttp, serveTcp, findUnusedAddress } from '../common/testing/local-server.ts'
import { runConformance, InvalidOptionError } from './run-conformance.ts'
import { advanceTimersAfterRead, replaceTimers } from './testing/replaced-timers.ts'

const KEYS = {
  funded: 'sk-svc-funded-0123456789',
  noCredits: 'sk-svc-nothing-0123456789',
  limited: 'sk-svc-limited-0123456789',
}

/** Runs the whole suite against a target that responds immediately, for which a short deadline is sufficient. */
const runSuite = (url: string) => runConformance({ url, keys: KEYS, timeoutMs: 1000 })

afterEach(() => void vi.useRealTimers())

describe('is incomplete and names the problem, without a failure', () => {
  test('the run is incomplete and names the problem if nothing listens', async () => {
    const url = await findUnusedAddress()
    const { document, exitCode } = await runSuite(url)
    expect(exitCode).toBe(3)
    expect(document.verdict).toBe('incomplete')
    expect(document.target.problem).toContain(`Cannot reach ${url}: connection refused.`)
    expect(document.target.problem).toContain(`touchstone emulator --port ${new URL(url).port}`)
    expect(document.summary.notTestable).toBe(document.checks.length)
  })

  test('the run is incomplete even with acceptIncomplete if nothing listens', async () => {
    const { exitCode } = await runConformance({ url: await findUnusedAddress(), keys: KEYS, acceptIncomplete: true })
    expect(exitCode).toBe(3)
  })

  test.each([
    ['nothing', 'no complete response within', () => undefined],
    ['a reset', 'did not respond in HTTP', (socket: Socket) => socket.resetAndDestroy()],
    ['a closed connection', 'did not respond in HTTP', (socket: Socket) => socket.end()],
    ['garbage', 'did not respond in HTTP', (socket: Socket) => socket.end('\0\u0001 no http\n\n')],
  ] as const)('the run is incomplete if the target responds with %s', async (_name, sentence, act) => {
    await using server = await serveTcp((socket) => socket.once('data', () => act(socket)))
    const { document, exitCode } = await runSuite(server.url)
    expect(exitCode).toBe(3)
    expect(document.target.problem).toContain(sentence)
  })

  test.each([
    // Sends the key in three more forms.
    ['rejected for models and chat', 401, 401, 'The target rejected the funded key', 5],
    ['rejected as forbidden', 403, 403, 'The target rejected the funded key (403 for models and chat)', 5],
    ['without credits', 200, 402, 'has too few credits', 2],
  ])('the run is incomplete with a key %s', async (_name, modelsStatus, chatStatus, sentence, expectedRequests) => {
    let requests = 0
    await using server = await serveHttp((request, response) => {
      requests += 1
      response.writeHead(request.method === 'GET' ? modelsStatus : chatStatus).end('{}')
    })
    const { document, exitCode } = await runSuite(server.url)
    expect(exitCode).toBe(3)
    expect(document.target.problem).toContain(sentence)
    expect(requests).toBe(expectedRequests)
  })

  test.each([
    ['with "bearer" in lower case', 'authorization', /^bearer sk-/],
    ['without the word Bearer', 'authorization', /^sk-/],
    ['in the header X-API-Key or api-key', 'api-key', /^sk-/],
  ])('states that the target accepts the key only %s', async (phrase, header, pattern) => {
    await using server = await serveHttp((request, response) => {
      const isAccepted = pattern.test(String(request.headers[header]))
      response.writeHead(isAccepted ? 200 : 401).end('{"object":"list","data":[]}')
    })
    const { document, exitCode } = await runSuite(server.url)
    expect(exitCode).toBe(3)
    expect(document.target.problem).toContain(`but it accepts the funded key ${phrase}.`)
  })

  test.each([
    ['redirects every request', 302, 'redirects every request (302 to http://login.test/)'],
    ['is a web site', 200, 'returns HTML (200): this is not the API'],
    ['serves static files', 404, 'returns HTML (404): this is not the API'],
  ])('names the problem if the target %s', async (_name, status, sentence) => {
    let requests = 0
    await using server = await serveHttp((_request, response) => {
      requests += 1
      response
        .writeHead(status, {
          'content-type': 'text/html',
          ...(status === 302 ? { location: 'http://login.test/' } : {}),
        })
        .end('<h1>\u001b[31m</h1>')
    })
    const { document, exitCode } = await runSuite(server.url)
    expect(exitCode).toBe(3)
    expect(document.target.problem).toContain(sentence)
    expect(document.summary.notTestable).toBe(document.checks.length)
    // After a 404 for the list of models and for a chat, the suite also requests the other operations.
    const sent = status === 404 ? 5 : 2
    expect([requests, document.spent.requests]).toEqual([sent, sent])
  })

  test('the run is incomplete if every request and every repeat gets a 500', async () => {
    let requests = 0
    await using server = await serveHttp((_request, response) => {
      requests += 1
      response.writeHead(500).end()
    })
    const { document, exitCode } = await runSuite(server.url)
    expect(exitCode).toBe(3)
    expect(document.target.problem).toContain(`The target is down: ${server.url} returned 500 to every request`)
    expect(document.summary.notTestable).toBe(document.checks.length)
    expect(requests).toBe(4)
  })

  test('the run is incomplete if no response ends before its deadline', async () => {
    replaceTimers()
    const advances: Promise<void>[] = []
    await using server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {}\n', () => advances.push(advanceTimersAfterRead(100)))
    })
    const { document, exitCode } = await runConformance({ url: server.url, keys: KEYS, timeoutMs: 100 })
    await Promise.all(advances)
    expect(exitCode).toBe(3)
    expect(document.target.problem).toContain('timed out, even when repeated')
  })
})

describe('is non-conformant, without a hang or an error of the suite', () => {
  test('the run is non-conformant for a server with one response to every request', async () => {
    await using server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('null'),
    )
    const only = ['2', '4.1', '8']
    const { document, exitCode } = await runConformance({ url: server.url, keys: KEYS, timeoutMs: 1000, only })
    expect(exitCode).toBe(1)
    expect(document.summary.error).toBe(0)
  })
})

test('lists every check of the suite once, as planned or as not planned', async () => {
  const { document } = await runConformance({ url: await findUnusedAddress(), only: ['5'], skip: ['5/key-prefix'] })
  const listed = document.requirements.flatMap((row) => ('checks' in row ? row.checks : []))
  const seen = [...document.checks.map(({ id }) => id), ...document.notPlanned.map(({ id }) => id)]
  expect(seen.toSorted()).toEqual(listed.toSorted())
  expect(document.selection).toEqual({ only: ['5'], skip: ['5/key-prefix'] })
})

describe('invalid options', () => {
  test.each([
    ['a url that is not an address', { url: 'example' }, 'url is not an http or https address'],
    ['a url with another scheme', { url: 'ftp://x' }, 'url is not an http or https address'],
    ['a password in the address', { url: 'http://a:b@x' }, 'url must not contain a user name or password'],
    [
      'a password of the upstream',
      { url: 'http://x', upstream: 'http://a:b@y' },
      'upstream must not contain a user name',
    ],
    ['a url with a query', { url: 'http://x/?a' }, 'url must be a base URL'],
    ['a url of an operation', { url: 'http://x/v1/models' }, 'without the path of an operation: write http://x'],
    ['an invalid base URL', { url: 'http://x', baseUrl: 'x' }, 'baseUrl is not'],
    [
      'a key with a line break',
      { url: 'http://x', keys: { funded: 'a\nb' } },
      'keys.funded contains a space or a character that a header cannot contain',
    ],
    ['an empty key', { url: 'http://x', keys: { limited: '' } }, 'keys.limited is empty'],
    ['the same key in two roles', { url: 'http://x', keys: { funded: 'k', noCredits: 'k' } }, 'are the same key'],
    ['a header without a colon', { url: 'http://x', headers: ['x'] }, "headers must have the form 'Name: value'"],
    [
      'a header that the suite sets',
      { url: 'http://x', headers: ['Authorization: x'] },
      'headers cannot set Authorization',
    ],
    ['a missing target', {}, 'No target was given'],
    ['an unknown check', { url: 'http://x', only: ['99'] }, 'No check has the ID or section "99"'],
  ])('rejects %s before it sends a request', async (_name, options, sentence) => {
    await expect(runConformance(options)).rejects.toThrow(InvalidOptionError)
    await expect(runConformance(options)).rejects.toThrow(sentence)
  })
})

test.each([
  ['http://127.0.0.1:9/', 'http://127.0.0.1:9'],
  ['http://127.0.0.1:9/v1', 'http://127.0.0.1:9'],
  ['http://127.0.0.1:9/gateway/v1/', 'http://127.0.0.1:9/gateway'],
  ['http://127.0.0.1:9/apiv1', 'http://127.0.0.1:9/apiv1'],
])('normalizes the base URL %s to %s', async (url, expected) => {
  const { document } = await runConformance({ url })
  expect(document.target.url).toBe(expected)
})

test('a target that serves only transcriptions fails only the checks of the operations that it lacks', async () => {
  await using server = await serveHttp((request, response) => {
    const isServed = request.url === '/v1/audio/transcriptions' && request.headers.authorization?.includes('funded')
    response.setHeader('content-type', 'application/json')
    response.statusCode = isServed === true ? 200 : 404
    response.end(isServed === true ? '{"text":"Hello."}' : '{"error":"not found"}')
  })
  const { document } = await runConformance({ url: server.url, keys: KEYS, only: ['1', '2.1', '2.3', '4.2'] })
  const failed = document.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  expect(failed.toSorted()).toEqual(['1/chat-offered', '1/images-offered', '1/models-offered', '1/speech-offered'])
  expect(document.remarkFindings.map(({ code }) => code)).toEqual(['variables-not-set'])
})

/** Serves chats whatever their max_tokens, and streams until one with an invalid value, after which all streams get 500. */
async function runUntilStreamsBreak(servesInvalid: boolean) {
  let isBroken = false
  await using server = await serveHttp((request, response) => {
    let text = ''
    request.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
    request.on('end', () => {
      const isStream = text.includes('"stream":true')
      const isValid = request.method === 'GET' || text.includes('"max_tokens":16')
      isBroken ||= isStream && !isValid
      response.statusCode = isStream && isBroken ? 500 : isValid || servesInvalid ? 200 : 400
      const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] })
      const completion = JSON.stringify({ data: MODELS, choices: [{ message: { role: 'assistant', content: 'Hi.' } }] })
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
      response.end(isStream ? `data: ${chunk}\n\ndata: [DONE]\n\n` : completion)
    })
  })
  const { document } = await runConformance({ url: server.url, keys: KEYS, only: ['4.2/max-tokens-wrong-type'] })
  return document.checks.find(({ id }) => id === '4.2/max-tokens-wrong-type')
}

test('a finding of one form of a request stands if the target no longer serves requests of another form', async () => {
  const [wrong, right] = await Promise.all([true, false].map((isServed) => runUntilStreamsBreak(isServed)))
  expect(wrong).toMatchObject({ verdict: 'fail', actual: 'max_tokens "1": returned 200 instead of 400' })
  expect(right).toMatchObject({ verdict: 'not-testable' })
})

test('a check of error bodies causes an error itself if no other check does', async () => {
  await using server = await serveHttp((request, response) => {
    const isAuthorized = request.headers.authorization !== undefined
    response.writeHead(isAuthorized ? 200 : 401, { 'content-type': 'application/json' })
    response.end(isAuthorized ? JSON.stringify({ object: 'list', data: MODELS }) : '{"detail":"no"}')
  })
  const keys = { funded: 'sk-svc-funded-0123456789' }
  const { document } = await runConformance({ url: server.url, keys, only: ['7/error-body-401'] })
  expect(document.checks).toMatchObject([{ verdict: 'warn', code: 'missing-field', params: { path: 'error' } }])
})

test('a run that waits for a rate limit until its time limit reports the number of 429s', async () => {
  replaceTimers()
  const advances: Promise<void>[] = []
  let requests = 0
  await using server = await serveHttp((_request, response) => {
    requests += 1
    if (requests <= 2) return response.end('{}')
    response.writeHead(429, { 'retry-after': '60' })
    return response.end('{}', () => advances.push(advanceTimersAfterRead(500)))
  })
  const { document, exitCode } = await runConformance({
    url: server.url,
    keys: KEYS,
    only: ['4/http'],
    maxSeconds: 0.5,
  })
  await Promise.all(advances)
  expect(exitCode).toBe(3)
  expect(document.remarkFindings.map(({ code }) => code)).toEqual(['requests-rate-limited', 'time-limit-reached'])
  expect(document.remarks[0]).toContain(`with 429, although the suite reduced its rate.`)
})
