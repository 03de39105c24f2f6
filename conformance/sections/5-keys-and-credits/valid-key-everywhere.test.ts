import { expect, test } from 'vitest'
import { isSummaryCheck } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { validKeyEverywhereChecks } from './valid-key-everywhere.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

type Sent = Partial<LoggedExchange> & { readonly status: number; readonly model?: string }

function summarize(...sent: readonly Sent[]) {
  const check = validKeyEverywhereChecks.find(({ id }) => id === '5/valid-key-everywhere-chat')
  if (check === undefined || !isSummaryCheck(check)) throw new Error('no summary check of the key')
  const exchanges = sent.map(({ status, model = 'a', ...changes }, request): LoggedExchange => {
    const body = Buffer.from(JSON.stringify({ model }))
    const exchange = createScriptedExchange(
      { status, body: '{"object":"chat.completion"}' },
      { method: 'POST', path: '/', headers: {}, body },
    )
    const [source, operation, key, kind] = ['4.2/a', 'chat', 'funded', 'valid'] as const
    return { source, operation, key, kind, request, isFinal: true, exchange, form: undefined, ...changes }
  })
  return check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges }).outcome
}

test('fails if the target rejects the key in some valid requests only, and names their model', () => {
  expect(summarize({ status: 200 }, { status: 401 }, { status: 401 })).toMatchObject({
    verdict: 'fail',
    params: { actualStatus: 401 },
    difference: { responses: 2, of: 3 },
  })
  expect(summarize({ status: 200 }, { status: 401, model: 'b' }).difference).toEqual({
    responses: 1,
    of: 2,
    model: 'b',
  })
})

test('ignores a key that the target always rejects, which the check of the plain request reports', () => {
  expect(summarize({ status: 401 }, { status: 401 }).verdict).toBe('not-testable')
  expect(summarize().verdict).toBe('not-testable')
})

test('ignores the 401s to other keys, to invalid requests and to repeated attempts', () => {
  const served: Sent = { status: 200 }
  expect(summarize(served, { status: 401, key: 'limited' }).verdict).toBe('pass')
  expect(summarize(served, { status: 401, kind: 'invalid' }).verdict).toBe('pass')
  expect(summarize(served, { status: 401, isFinal: false }).verdict).toBe('pass')
})
