import { expect, test } from 'vitest'
import type { RequestSpec } from '../../http/exchange.ts'
import { streamChecks } from './chat-stream.ts'
import { createScriptedContext, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

const STREAM = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: {}\n\n' }
const TEXT = { ...STREAM, headers: { 'content-type': 'text/plain' } }

/** Returns whether a request resembles the default request of a client. */
function isClients({ headers, body }: RequestSpec): boolean {
  return headers['accept'] === 'application/json' || Buffer.from(body ?? []).includes('stream_options')
}

/**
 * Returns the outcome of a check for a target with these responses to the plain request and to the client's request.
 */
async function outcomeOf(id: string, plain: ScriptedResponse, clients: ScriptedResponse) {
  const context = createScriptedContext((request) => (isClients(request) ? clients : plain))
  return await streamChecks.find((check) => check.id === id)?.run(context)
}

test.each([
  ['4.2/stream-options-accepted', 'rejects each of its streams'],
  ['4.2/stream-accept-json', 'rejects all these streams'],
])('%s names the consequence for the client in its warning', async (id, rejected) => {
  expect(await outcomeOf(id, STREAM, STREAM)).toMatchObject({ verdict: 'pass' })
  expect(await outcomeOf(id, STREAM, { status: 400 })).toMatchObject({
    verdict: 'warn',
    consequence: expect.stringContaining(rejected),
  })
  expect(await outcomeOf(id, STREAM, TEXT)).toMatchObject({
    verdict: 'warn',
    code: 'unexpected-media-type',
    params: { actualMediaType: 'text/plain' },
    consequence: expect.stringMatching(/: the response is not a stream$/),
  })
  // If the plain stream has the same deviation, the client's form of the request is not the cause.
  expect(await outcomeOf(id, TEXT, TEXT)).toMatchObject({
    verdict: 'not-testable',
    code: 'plain-stream-is-none',
    params: { actualMediaType: 'text/plain' },
  })
})

/** Builds a stream with one chunk for each item. `end` follows the last frame. */
function streamOf(chunks: readonly { readonly content?: string; readonly reason?: string }[], end = '\n\n') {
  const frames = chunks.map(({ content, reason = null }) => {
    const choice = { index: 0, delta: content === undefined ? {} : { content }, finish_reason: reason }
    return `data: ${JSON.stringify({ choices: [choice] })}`
  })
  return { ...STREAM, body: `${frames.join('\n\n')}${end}` }
}

test('distinguishes text after a finish_reason from a second finish_reason', async () => {
  const id = '4.2/finish-reason-last'
  const outcomeOfStream = (stream: ScriptedResponse) => outcomeOf(id, stream, stream)
  const whole = [{ content: 'one' }, { reason: 'stop' }]
  expect(await outcomeOfStream(streamOf(whole))).toMatchObject({ verdict: 'pass' })
  expect(await outcomeOfStream(streamOf([...whole, {}]))).toMatchObject({ verdict: 'pass' })
  expect(await outcomeOfStream(streamOf([...whole, ...whole]))).toMatchObject({
    params: { problem: 'early-finish-reason' },
    consequence: expect.stringContaining('text after an early finish_reason is lost'),
  })
  expect(await outcomeOfStream(streamOf([...whole, { reason: 'stop' }]))).toMatchObject({
    verdict: 'warn',
    params: { problem: 'repeated-finish-reason', actual: 'stop' },
    consequence: expect.stringContaining('stopstop'),
  })
})

test('distinguishes a stream without any end from one without [DONE]', async () => {
  const endless = streamOf([{ content: 'one' }])
  for (const id of ['4.2/finish-reason-last', '4.2/done-last']) {
    const outcome = await outcomeOf(id, endless, endless)
    expect(outcome).toMatchObject({ verdict: 'warn', params: { problem: 'no-end' } })
  }
})

test('a stream without a chunk is no stream of a completion', async () => {
  const empty = { ...STREAM, body: 'data: [DONE]\n\n' }
  expect(await outcomeOf('4.2/stream-events', empty, empty)).toMatchObject({
    verdict: 'fail',
    params: { problem: 'no-chunks' },
  })
  expect(await outcomeOf('4.2/stream-events', STREAM, STREAM)).toMatchObject({ verdict: 'pass' })
})

test('reports that clients drop a [DONE] without a blank line', async () => {
  const done = (end: string) => streamOf([{ reason: 'stop' }], `\n\ndata: [DONE]${end}`)
  expect(await outcomeOf('4.2/done-last', done('\n\n'), STREAM)).toMatchObject({ verdict: 'pass' })
  expect(await outcomeOf('4.2/done-last', done('\n'), STREAM)).toMatchObject({ params: { problem: 'no-blank-line' } })
  expect(await outcomeOf('4.2/done-last', streamOf([{ reason: 'stop' }]), STREAM)).toMatchObject({
    params: { problem: 'no-done' },
  })
})

test.each([
  ['trimmed words', Array(12).fill('harbor'), 'warn'],
  ['words with spaces', Array(12).fill(' harbor'), 'pass'],
  ['one word', Array(5).fill('harbor'), 'pass'],
  ['a language without spaces', Array(50).fill('港'), 'pass'],
])('recognizes deltas that lost their spaces: %s', async (_, words: string[], verdict) => {
  const stream = streamOf([...words.map((content) => ({ content })), { reason: 'stop' }])
  const outcome = await outcomeOf('4.2/content-text', stream, stream)
  expect(outcome).toMatchObject(verdict === 'pass' ? { verdict } : { verdict, params: { problem: 'no-spaces' } })
})

test('reports a [DONE] with spaces once', async () => {
  const stream = streamOf([{ content: 'one' }, { reason: 'stop' }], '\n\ndata: [DONE] \n\n')
  expect(await outcomeOf('4.2/chunk-json', stream, stream)).toMatchObject({ verdict: 'pass' })
  expect(await outcomeOf('4.2/done-last', stream, stream)).toMatchObject({ verdict: 'warn' })
})

const HABIT_IDS = streamChecks.filter(({ requirement }) => requirement === '4.2/stream-habits').map(({ id }) => id)

const STREAM_IDS = streamChecks.map(({ id }) => id)

test.each(STREAM_IDS)('%s does not evaluate a stream that reports an error', async (id) => {
  const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'one' } }] }
  const error = { error: { message: 'overloaded' } }
  const broken = { ...STREAM, body: [chunk, error].map((json) => `data: ${JSON.stringify(json)}\n\n`).join('') }
  expect(await outcomeOf(id, broken, broken)).toMatchObject({
    verdict: 'not-testable',
    code: 'request-broke-down',
    params: { actualStatus: 200, isErrorInStream: true },
  })
})

test.each(HABIT_IDS)('%s does not evaluate a completion in place of a stream', async (id) => {
  const completion = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"object":"chat.completion"}',
  }
  expect(await outcomeOf(id, completion, completion)).toMatchObject({
    verdict: 'not-testable',
    code: 'plain-stream-is-none',
    params: { actualMediaType: 'application/json' },
  })
})
