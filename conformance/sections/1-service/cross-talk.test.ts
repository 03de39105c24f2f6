import { expect, test } from 'vitest'
import { NONCE_PATTERN, ownResponseCheck, streamsServedCheck } from './cross-talk.ts'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'
import type { ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

type Target = (nonce: string, index: number) => ScriptedResponse

function stream(id: string, texts: readonly string[], end = true): ScriptedResponse {
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ id, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
  const last = end ? `${chunk({}, 'stop')}data: [DONE]\n\n` : ''
  const body = texts.map((content) => chunk({ content }, null)).join('') + last
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
}

/** Creates a context with consecutive nonces. Calls `target` with the nonce and the number of each request. */
function contextOf(target: Target) {
  let requests = 0
  let nonces = 0
  const context = createScriptedContext(({ body }) => {
    requests += 1
    const nonce = NONCE_PATTERN.exec(Buffer.from(body ?? []).toString('utf8'))?.[1] ?? ''
    return target(nonce, requests)
  })
  const nonce = () => {
    nonces += 1
    return `t${String(nonces).padStart(8, '0')}`
  }
  return { ...context, nonce }
}

const own: Target = (nonce, index) => stream(`chatcmpl-${index}`, [nonce])

test.each<[string, Target, object]>([
  ['separates all responses', own, { verdict: 'pass', code: 'as-expected' }],
  [
    'mixes two responses',
    (nonce, index) => stream(`c${index}`, index === 7 ? ['t0000', '0003'] : [nonce]),
    { verdict: 'warn', code: 'cross-talk', params: { position: 7, responses: 17 } },
  ],
  ['draws ids from a small range', (nonce, index) => stream(`c${index % 9}`, [nonce]), { verdict: 'pass' }],
  [
    'truncates one stream',
    (nonce, index) => stream(`c${index}`, [nonce], index !== 12),
    { verdict: 'warn', code: 'stream-cut', params: { end: { finishReason: false, done: false } } },
  ],
  [
    'rejects one request',
    (nonce, index) => (index === 5 ? { status: 400 } : own(nonce, index)),
    { verdict: 'not-testable', code: 'request-not-served', params: { actualStatus: 400 } },
  ],
])('evaluates cross-talk between parallel streams of a target that %s', async (_name, target, outcome) => {
  expect(await ownResponseCheck.run(contextOf(target))).toMatchObject(outcome)
})

test.each<[string, Target]>([
  [
    'parallel streams have no [DONE], but a finish_reason',
    (nonce, index) => {
      const { body = '', ...response } = stream(`c${index}`, [nonce])
      return { ...response, body: index > 4 ? String(body).replace('data: [DONE]\n\n', '') : body }
    },
  ],
  ['only the single stream has no end', (nonce, index) => stream(`c${index}`, [nonce], index !== 1)],
])('takes no stream as cut if %s', async (_, target) => {
  expect((await ownResponseCheck.run(contextOf(target))).verdict).toBe('pass')
})

test('passes a target whose streams all end without finish_reason and [DONE]', async () => {
  const outcome = await ownResponseCheck.run(contextOf((nonce, index) => stream(`c${index}`, [nonce], false)))
  expect(outcome.verdict).toBe('pass')
})

test.each<[string, Target, string]>([
  ['serves every stream', own, 'pass'],
  [
    'returns 503 for one stream',
    (nonce, index) => (index === 16 ? { status: 503 } : own(nonce, index)),
    'not-testable',
  ],
  [
    'sends an error event in one stream',
    (nonce, index) =>
      index === 3 ? { ...own(nonce, index), body: 'data: {"error":{"message":"busy"}}\n\n' } : own(nonce, index),
    'fail',
  ],
  ['returns 429 for half of them', (nonce, index) => (index > 8 ? { status: 429 } : own(nonce, index)), 'not-testable'],
])('checks sixteen parallel streams of a target that %s', async (_name, target, verdict) => {
  expect((await streamsServedCheck.run(contextOf(target))).verdict).toBe(verdict)
})
