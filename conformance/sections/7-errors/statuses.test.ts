import { expect, test } from 'vitest'
import { isSummaryCheck } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import { describeOutcome } from '../../findings/sentences.ts'
import { statusChecks } from './statuses.ts'
import { createScriptedExchange } from '../../prove/no-evidence-targets/scripted-context.ts'

function summarize(...statuses: readonly number[]) {
  return summarizeModels(...statuses.map((status): readonly [number, string] => [status, 'a']))
}

function summarizeModels(...sent: readonly (readonly [status: number, model: string])[]) {
  const check = statusChecks.find(({ id }) => id === '7/statuses-chat')
  if (check === undefined || !isSummaryCheck(check)) throw new Error('no summary check 7/statuses-chat')
  const exchanges = sent.map(([status, model], request): LoggedExchange => {
    const body = Buffer.from(JSON.stringify({ model }))
    const exchange = createScriptedExchange({ status }, { method: 'POST', path: '/', headers: {}, body })
    const [source, operation, key, kind] = ['4.2/a', 'chat', 'funded', 'valid'] as const
    return { source, operation, key, kind, request, isFinal: true, exchange, form: undefined }
  })
  return check.summarize({ baseUrl: 'http://target.test', startedAt: 0, exchanges })
}

test('passes for a 2xx status other than 200, and reports the response', () => {
  const { outcome, evidence = [] } = summarize(200, 207, 207)
  expect(outcome).toMatchObject({ verdict: 'pass', params: { seen: { responses: 3, otherStatuses: [207] } } })
  expect(describeOutcome(outcome).actual).toBe(
    'true of all 3 responses, some with 207: the specification names no status for success',
  )
  expect(evidence.map(({ exchange }) => exchange.status)).toEqual([207])
})

test('reports no status if all successful responses have 200', () => {
  const { outcome, evidence = [] } = summarize(200, 404)
  expect(describeOutcome(outcome).actual).toBe('true of all 2 responses')
  expect(evidence).toEqual([])
})

test('fails for an error status outside the table of section 7', () => {
  expect(summarize(200, 422).outcome).toMatchObject({ verdict: 'fail', params: { actualStatus: 422 } })
})

test('names the model if only its requests get a status outside the table', () => {
  const differenceOf = (...sent: readonly (readonly [number, string])[]) => summarizeModels(...sent).outcome.difference
  expect(differenceOf([200, 'a'], [422, 'b'], [422, 'b'])).toEqual({ responses: 2, of: 3, model: 'b' })
  expect(differenceOf([200, 'b'], [422, 'b'])).toEqual({ responses: 1, of: 2 })
  expect(differenceOf([422, 'a'], [422, 'b'])).toEqual({ responses: 2, of: 2 })
  expect(differenceOf([422, 'b'])).toEqual({ responses: 1, of: 1 })
})
