import { expect, test } from 'vitest'
import { CONTENT, ownAnswer, streamsServed } from './1-cross-talk.ts'
import { scriptedContext } from './scripted-context.ts'
import type { ScriptedAnswer } from './scripted-context.ts'

type Target = (nonce: string, index: number) => ScriptedAnswer

function stream(id: string, texts: readonly string[], end = true): ScriptedAnswer {
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ id, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
  const last = end ? `${chunk({}, 'stop')}data: [DONE]\n\n` : ''
  const body = texts.map((content) => chunk({ content }, null)).join('') + last
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
}

/** A context whose requests have nonces of their own, against a target that knows them. */
function contextOf(target: Target) {
  let requests = 0
  let nonces = 0
  const context = scriptedContext(({ body }) => {
    requests += 1
    const nonce = CONTENT.exec(Buffer.from(body ?? []).toString('utf8'))?.[1] ?? ''
    return target(nonce, requests)
  })
  const nonce = () => {
    nonces += 1
    return `t${String(nonces).padStart(8, '0')}`
  }
  return { ...context, nonce }
}

const own: Target = (nonce, index) => stream(`chatcmpl-${index}`, [nonce])

test.each<[string, Target, string, RegExp]>([
  ['gives each its own', own, 'pass', /as clients expect it/],
  [
    'mixes two',
    (nonce, index) => stream(`c${index}`, index === 7 ? ['t0000', '0003'] : [nonce]),
    'warn',
    /^answer 7 of 17 has the text of another: t00000003$/,
  ],
  [
    'gives two the same id',
    (nonce, index) => stream(`c${index === 9 ? 4 : index}`, [nonce]),
    'warn',
    /^answer 4 of 17 has the id of another$/,
  ],
  [
    'cuts one off',
    (nonce, index) => stream(`c${index}`, [nonce], index !== 12),
    'warn',
    /^one of them ends without a finish_reason, without \[DONE\]; a stream alone ends with/,
  ],
  [
    'refuses one',
    (nonce, index) => (index === 5 ? { status: 400 } : own(nonce, index)),
    'not-testable',
    /answered 400/,
  ],
])('a target that %s', async (_name, target, verdict, saying) => {
  const outcome = await ownAnswer.run(contextOf(target))
  expect(outcome).toMatchObject({ verdict, actual: expect.stringMatching(saying) })
})

test('a target that ends no stream as others do is not blamed for it', async () => {
  const outcome = await ownAnswer.run(contextOf((nonce, index) => stream(`c${index}`, [nonce], false)))
  expect(outcome.verdict).toBe('pass')
})

test.each<[string, Target, string]>([
  ['serves all', own, 'pass'],
  ['breaks one', (nonce, index) => (index === 16 ? { status: 503 } : own(nonce, index)), 'fail'],
  [
    'reports an error in one',
    (nonce, index) =>
      index === 3 ? { ...own(nonce, index), body: 'data: {"error":{"message":"busy"}}\n\n' } : own(nonce, index),
    'fail',
  ],
  ['limits the key', (nonce, index) => (index > 8 ? { status: 429 } : own(nonce, index)), 'not-testable'],
])('sixteen at once: a target that %s', async (_name, target, verdict) => {
  expect((await streamsServed.run(contextOf(target))).verdict).toBe(verdict)
})
