import { expect, test } from 'vitest'
import { isSummaryCheck } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { ownAnswerEverywhereCheck } from '../1-service/cross-talk.ts'
import { completionTextChecks, findLostWords } from './completion-texts.ts'
import { everyStreamChecks } from '../4.2-stream/every-stream.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

const TEXT = 'one two three four five six seven eight nine ten'

interface Sent {
  readonly prompt: string
  readonly text: string
  readonly stream?: true
  readonly model?: string
  /** Frame after the last chunk of a stream. Default: `[DONE]`. */
  readonly end?: string
  /** Default: POST. */
  readonly method?: string
}

function streamOf(text: string, end: string): string {
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  return `${chunk({ role: 'assistant', content: text }, null)}${chunk({}, 'stop')}${end}`
}

function summarize(id: string, ...all: readonly Sent[]) {
  const check = [...completionTextChecks, ...everyStreamChecks, ownAnswerEverywhereCheck].find((one) => one.id === id)
  if (check === undefined || !isSummaryCheck(check)) throw new Error(`no summary check ${id}`)
  const exchanges = all.map(
    ({ prompt, text, stream, model = 'a', end = 'data: [DONE]\n\n', method = 'POST' }, request) => {
      const fields = { model, messages: [{ role: 'user', content: prompt }], ...(stream ? { stream } : {}) }
      const spec = {
        method,
        path: '/v1/chat/completions',
        headers: {},
        body: Buffer.from(JSON.stringify(fields)),
      }
      const body = stream ? streamOf(text, end) : JSON.stringify({ choices: [{ message: { content: text } }] })
      const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' }
      const exchange = createScriptedExchange({ status: 200, headers, body }, spec)
      const logged: LoggedExchange = {
        source: '4.2/a',
        operation: 'chat',
        key: 'funded',
        kind: 'valid',
        request,
        isFinal: true,
        exchange,
        form: undefined,
      }
      return logged
    },
  )
  return check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges }).outcome
}

test.each([
  ['a lost word', TEXT, TEXT.replace(' three', ''), ['three']],
  ['the same text', TEXT, TEXT, undefined],
  ['an earlier end', TEXT, 'one two three four five six seven eight', undefined],
  ['another text', TEXT, TEXT.toUpperCase(), undefined],
  ['a longer text', TEXT.replace(' three', ''), TEXT, undefined],
  ['too few words', 'one two three four', 'one two four', undefined],
  ['too many lost words', `${TEXT} ${TEXT} ${TEXT}`, TEXT, undefined],
])('finds words that a stream lacks: %s', (_name, whole, part, lost) => {
  expect(findLostWords(whole, part)).toEqual(lost)
})

test('warns about a stream that lacks words of the completion of an identical request', () => {
  const plain = { prompt: 'p', text: TEXT }
  const lossy: Sent = { prompt: 'p', text: TEXT.replace(' three', ''), stream: true }
  const check = '4.2/stream-text'
  const lost = { verdict: 'warn', params: { words: 1, of: 10, lost: 'three' } }
  expect(summarize(check, plain, plain, lossy)).toMatchObject(lost)
  // A single completion, or different ones, do not show that the target always generates the same text.
  expect(summarize(check, plain, lossy).verdict).toBe('observed')
  expect(summarize(check, plain, { ...plain, text: `${TEXT} eleven` }, lossy).verdict).toBe('observed')
  expect(summarize(check, plain, { ...plain, stream: true }).verdict).toBe('pass')
  expect(summarize(check, plain, { prompt: 'p', text: 'Something else.', stream: true }).verdict).toBe('observed')
  expect(summarize(check, plain, { ...lossy, prompt: 'q' })).toMatchObject({ params: { missing: 'texts-to-compare' } })
})

test('observes whether the text depends on the prompt', () => {
  const prompts = ['a', 'b', 'c', 'd', 'e']
  const check = '4.2/text-of-prompts'
  const same = prompts.map((prompt) => ({ prompt, text: prompt === 'e' ? 'Hello' : 'Hello there' }))
  expect(summarize(check, ...same)).toMatchObject({ params: { seen: { differ: false } } })
  const other = prompts.map((prompt) => ({ prompt, text: `Hello ${prompt}` }))
  expect(summarize(check, ...other)).toMatchObject({ params: { seen: { differ: true } } })
  expect(summarize(check, ...same.slice(0, 4)).verdict).toBe('not-testable')
})

test('warns about some streams in another form, and leaves the form of all streams to other checks', () => {
  const stream: Sent = { prompt: 'p', text: TEXT, stream: true }
  const endless: Sent = { ...stream, model: 'b', end: '' }
  const check = '4.2/stream-form-everywhere'
  expect(summarize(check, stream, stream).verdict).toBe('pass')
  expect(summarize(check, endless, endless).verdict).toBe('pass')
  expect(summarize(check, stream, stream, endless)).toMatchObject({
    verdict: 'warn',
    params: { problem: 'no-done' },
    difference: { responses: 1, of: 1, model: 'b' },
  })
})

test('warns about chunks whose created time is not in seconds, in some streams or in all of them', () => {
  const withCreated = (created: unknown): Sent => {
    const json = { id: 'a', object: 'chat.completion.chunk', created, choices: [], usage: {} }
    return { prompt: 'p', text: TEXT, stream: true, end: `data: ${JSON.stringify(json)}\n\ndata: [DONE]\n\n` }
  }
  const check = '4.2/stream-form-everywhere'
  const seconds = withCreated(1_700_000_000)
  const found = { verdict: 'warn', expected: { field: 'created', type: 'unix-seconds' } }
  for (const created of [undefined, null, 0])
    expect(summarize(check, seconds, withCreated(created)).verdict).toBe('pass')
  for (const created of [1_700_000_000_000, 1_700_000_000.5, '2026-01-01']) {
    expect(summarize(check, seconds, withCreated(created))).toMatchObject({
      ...found,
      difference: { responses: 1, of: 2 },
    })
    expect(summarize(check, withCreated(created))).toMatchObject({ ...found, difference: { responses: 1, of: 1 } })
  }
})

test('warns about a completion with the nonce of another request', () => {
  const check = '1/own-answer-everywhere'
  const own = { prompt: 'Say hello to 0123abcd.', text: 'Hello 0123abcd, deadbeef.' }
  const leaked = { prompt: 'Say hello to 89abcdef.', text: 'Hello to 0123abcd.' }
  expect(summarize(check, own, { ...own, stream: true }).verdict).toBe('pass')
  expect(summarize(check, own, leaked)).toMatchObject({ verdict: 'warn', code: 'cross-talk', params: { position: 2 } })
  expect(summarize(check, own, { ...leaked, stream: true }).verdict).toBe('warn')
  expect(summarize(check).verdict).toBe('not-testable')
})

test('ignores the text of other requests in a list of stored completions', () => {
  const own = { prompt: 'Say hello to 0123abcd.', text: 'Hello 0123abcd.' }
  const list = { ...own, prompt: '', method: 'GET' }
  expect(summarize('1/own-answer-everywhere', own, list).verdict).toBe('pass')
  expect(summarize('1/own-answer-everywhere', own, { ...list, method: 'POST' }).verdict).toBe('warn')
})

test('does not mistake the date in a model ID for the nonce of another request', () => {
  const dated = { prompt: 'Say hello to 0123abcd.', text: 'Hello.', model: 'vendorb-sonnet-4-20250514' }
  const alias = { prompt: 'Say hello to 0123abcd.', text: 'I am vendorb-sonnet-4-20250514.', model: 'vendorb-sonnet-4' }
  expect(summarize('1/own-answer-everywhere', dated, alias).verdict).toBe('pass')
})
