import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../contract/facts.ts'
import { isSummaryCheck } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { byteOrderMarkChecks } from './byte-order-mark.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

const COMPLETION = '{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"a"}}]}'
const MARK = '\ufeff'

function summarize(...responses: readonly { readonly status: number; readonly body: string }[]) {
  const exchanges = responses.map(({ status, body }, request): LoggedExchange => {
    const { method, path } = OPERATIONS.chat
    const exchange = createScriptedExchange({ status, body: Buffer.from(body) }, { method, path, headers: {} })
    const kind = status < 300 ? 'valid' : 'invalid'
    return { source: '5/a', operation: 'chat', key: 'funded', kind, request, isFinal: true, exchange, form: undefined }
  })
  return byteOrderMarkChecks
    .filter(isSummaryCheck)
    .map((check) => check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges }).outcome)
}

test('warns about a byte order mark in results and in errors, and counts the responses', () => {
  const result = { status: 200, body: COMPLETION }
  expect(summarize(result)).toMatchObject([{ verdict: 'pass' }])
  for (const marked of [
    { status: 200, body: `${MARK}${COMPLETION}` },
    { status: 400, body: `${MARK}{}` },
  ]) {
    expect(summarize(result, marked)).toMatchObject([
      { verdict: 'warn', params: { problem: 'byte-order-mark' }, difference: { responses: 1, of: 2 } },
    ])
  }
})

test('does not pass without a JSON result', () => {
  expect(summarize({ status: 400, body: '{}' }, { status: 200, body: 'data: {}' })).toMatchObject([
    { verdict: 'not-testable' },
  ])
})
