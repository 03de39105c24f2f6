import { expect, test } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { type LoggedExchange, sortByRequest } from './run-log.ts'

function logged(request: number, body: string, status = 200): LoggedExchange {
  const spec = { method: 'POST', path: '/v1/chat/completions', headers: {}, body: Buffer.from(body), url: '' }
  const exchange: Exchange = {
    request: spec,
    startedAtMs: request,
    totalMs: 1,
    status,
    headers: {},
    body: new Uint8Array(),
    memoryBytes: 0,
    text: '',
    json: undefined,
    events: [],
    unfinishedFrame: false,
  }
  const common = { source: '4.2/a', operation: 'chat', key: 'funded', kind: 'valid', form: undefined } as const
  return { ...common, request, isFinal: status < 500, exchange }
}

test('the order of recorded exchanges does not depend on the order in which they ended', () => {
  const [short, broken, repeated, long] = [
    logged(3, '{}'),
    logged(2, '{"a":1}', 502),
    logged(2, '{"a":1}'),
    logged(1, '{"b":1}'),
  ]
  const sorted = [short, broken, repeated, long]
  expect(sortByRequest([long, broken, short, repeated])).toEqual(sorted)
  expect(sortByRequest([broken, repeated, long, short])).toEqual(sorted)
})
