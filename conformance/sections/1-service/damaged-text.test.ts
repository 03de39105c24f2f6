import { expect, test } from 'vitest'
import { isSummaryCheck } from '../../engine/check.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { intactTextChecks } from './damaged-text.ts'

const CHAT = { method: 'POST', path: '/v1/chat/completions', headers: {} }

interface Sent {
  /** Text of the completion. A stream sends each text in a delta. */
  readonly texts?: readonly string[]
  readonly isStream?: boolean
  readonly status?: number
  /** Body in place of a completion. */
  readonly body?: string | Uint8Array
  readonly prompt?: string
  readonly temperature?: number
}

function logged(
  { texts = [], isStream = false, status = 200, body, prompt = 'Grüße', temperature }: Sent,
  request: number,
): LoggedExchange {
  const text = JSON.stringify({ stream: isStream, messages: [prompt], temperature })
  const sentRequest = { ...CHAT, body: Buffer.from(text) }
  const chunk = (name: string, content: string) => JSON.stringify({ choices: [{ [name]: { content } }] })
  const stream = texts.map((text) => `data: ${chunk('delta', text)}\n\n`).join('')
  const exchange = createScriptedExchange(
    {
      status,
      headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' },
      body: body ?? (isStream ? stream : chunk('message', texts.join(''))),
    },
    sentRequest,
  )
  const common = { source: '4.2/a', operation: 'chat', key: 'funded', isFinal: true, form: undefined } as const
  return { ...common, kind: status < 300 ? 'valid' : 'invalid', request, exchange }
}

function summarize(...sent: readonly Sent[]) {
  const [check] = intactTextChecks
  if (check === undefined || !isSummaryCheck(check)) throw new Error('the check evaluates a run')
  return check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges: sent.map(logged) }).outcome
}

const CLEAN: Sent = { texts: ['Grüße, 你好'] }
const damaged = (problem: string) => ({ verdict: 'warn', code: 'damaged-text', params: { problem } })

test('passes text of several scripts, and observes text that is only ASCII', () => {
  expect(summarize(CLEAN, { texts: ['你', '好'], isStream: true })).toMatchObject({ verdict: 'pass' })
  expect(summarize({ texts: ['Hello'] })).toMatchObject({
    verdict: 'observed',
    params: { seen: { kind: 'ascii-text' } },
  })
  expect(summarize()).toMatchObject({ verdict: 'not-testable' })
})

test('shows the damage of a request for other scripts first', () => {
  const stream = (prompt: string, text: string): Sent => ({ prompt, texts: [text, ' good'], isStream: true })
  const outcome = summarize(stream('Hello', '\uFFFD1'), stream('Grüße', '\uFFFD2'))
  expect(outcome).toMatchObject({ params: { actual: '\uFFFD2 good' } })
})

test.each([
  ['a stream with replaced characters', { texts: ['\uFFFD', '\uFFFD', ' good'], isStream: true }, 'replaced'],
  ['a stream with a character in two deltas', { texts: ['\ud83d', '\udc4b'], isStream: true }, 'half-character'],
  ['a completion with replaced characters', { texts: ['caf\uFFFD noir'] }, 'replaced'],
  ['an error body with replaced characters', { status: 404, body: '{"error":"mod\uFFFDle inconnu"}' }, 'replaced'],
  ['a transcription with replaced characters', { body: '{"text":"caf\uFFFD noir"}' }, 'replaced'],
  ['an error body in Latin-1', { status: 404, body: Buffer.from('{"error":"modèle"}', 'latin1') }, 'invalid-utf8'],
] as const)('warns about %s', (_name, sent, problem) => {
  expect(summarize(CLEAN, sent)).toMatchObject(damaged(problem))
})

test('ignores a body that is not JSON, such as audio with the wrong media type', () => {
  expect(summarize(CLEAN, { body: Buffer.from([0xff, 0xfb, 0x90, 0x64]) })).toMatchObject({ verdict: 'pass' })
})

test('ignores the end of a text, where a model may stop within a character', () => {
  expect(summarize(CLEAN, { texts: ['good ', '\uFFFD'], isStream: true })).toMatchObject({ verdict: 'pass' })
})

test('ignores responses to requests that contain such text themselves', () => {
  expect(summarize(CLEAN, { texts: ['\uFFFD x'], prompt: '\uFFFD x' })).toMatchObject({ verdict: 'pass' })
  expect(summarize(CLEAN, { texts: ['\ud83d x'], prompt: '\ud83d x' })).toMatchObject({ verdict: 'pass' })
})

test('observes replaced characters that the model may have generated', () => {
  const garbage = { texts: ['é\uFFFD x'] }
  const seen = { kind: 'replaced-characters', responses: 2, of: 2 }
  expect(summarize(garbage, { ...garbage, isStream: true })).toMatchObject({ verdict: 'observed', params: { seen } })
  const nothingElse = { texts: ['\uFFFD x'] }
  expect(summarize(nothingElse, { ...nothingElse, isStream: true })).toMatchObject(damaged('replaced'))
})

test('ignores replaced characters at a temperature above the default, where a model may choose any tokens', () => {
  const garbage = { texts: ['\uFFFD x'], isStream: true }
  expect(summarize(CLEAN, { ...garbage, temperature: 2 })).toMatchObject({ verdict: 'pass' })
  expect(summarize(CLEAN, { ...garbage, temperature: 1 })).toMatchObject(damaged('replaced'))
  const halved = { texts: ['\ud83d', '\udc4b'], isStream: true, temperature: 2 }
  expect(summarize(CLEAN, halved)).toMatchObject(damaged('half-character'))
})
