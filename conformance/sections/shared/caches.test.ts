import { expect, test } from 'vitest'
import type { Check } from '../../engine/check.ts'
import { idsDifferCheck } from '../2.3-completion/completion.ts'
import { streamProgressCheck } from '../4.2-stream/stream-timing.ts'
import { concurrentSpendingCheck } from '../5-keys-and-credits/concurrent-credits.ts'
import { limitExceededCheck, otherKeyCheck } from '../7-rate-limit/rate-limit.ts'
import { recoveryCheck } from '../7-rate-limit/recovery.ts'
import { createScriptedContext, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'

/**
 * Creates a context with unique nonces and a target that responds to the n-th request. Collects the bodies of the
 * requests.
 */
function contextOf(respond: (body: string, number: number) => ScriptedResponse) {
  const bodies: string[] = []
  let nonces = 0
  const context = createScriptedContext((request) => {
    const body = Buffer.from(request.body ?? []).toString('utf8')
    if (body !== '') bodies.push(body)
    return respond(body, bodies.length)
  })
  const nonce = () => {
    nonces += 1
    return `t${nonces}`
  }
  return { context: { ...context, nonce }, bodies }
}

function completion(id: string): ScriptedResponse {
  return { status: 200, body: JSON.stringify({ object: 'chat.completion', id, choices: [] }) }
}

test.each<[string, (body: string, number: number) => string, object]>([
  ['passes unique IDs', (_body, number) => `c${number}`, { verdict: 'pass', params: {} }],
  [
    'passes a cache of completions',
    (body) => body,
    { verdict: 'pass', params: { seen: { kind: 'cached-completion' } } },
  ],
  ['warns about one ID for all completions', () => 'c1', { verdict: 'warn', code: 'duplicate-value' }],
])('the check of IDs %s', async (_name, idOf, outcome) => {
  const { context } = contextOf((body, number) => completion(idOf(body, number)))
  expect(await idsDifferCheck.run(context)).toMatchObject(outcome)
})

test('the check of IDs warns if two different completions have the same ID', async () => {
  const { context } = contextOf((_body, number) => ({
    status: 200,
    body: JSON.stringify({ object: 'chat.completion', id: 'c1', choices: [{ index: number }] }),
  }))
  const outcome = await idsDifferCheck.run(context)
  expect(outcome).toMatchObject({ verdict: 'warn', code: 'duplicate-value' })
  expect(outcome.sequence).toHaveLength(2) // One completion alone does not show that its ID is a duplicate.
})

const LIMITED: ScriptedResponse = { status: 429, headers: { 'retry-after': '1' } }
const STREAM = {
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: 'data: {"choices":[{"delta":{"content":"one"}}]}\n\n'.repeat(20),
}

test.each<[string, Check, (number: number) => ScriptedResponse]>([
  ['7/rate-limit-exceeded', limitExceededCheck, (number) => (number % 3 === 0 ? LIMITED : completion('c'))],
  ['7/other-key-unaffected', otherKeyCheck, (number) => (number % 3 === 0 ? LIMITED : completion('c'))],
  ['7/recovery', recoveryCheck, (number) => (number === 3 ? LIMITED : completion('c'))],
  ['5/concurrent-spending', concurrentSpendingCheck, () => completion('c')],
])('%s repeats no text that a cache may contain', async (_id, check, respond) => {
  const { context, bodies } = contextOf((_body, number) => respond(number))
  await check.run(context)
  expect(bodies.length).toBeGreaterThan(2)
  expect(bodies.length - new Set(bodies).size).toBe(0)
})

test('4.2/stream-progress requests no stream that may be in a cache', async () => {
  const { context, bodies } = contextOf(() => STREAM)
  await streamProgressCheck.run(context)
  expect(bodies.map((body) => /This is request t\d+\./.test(body))).not.toContain(false)
})
