import { describe, expect, test } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { changeResponses, changeSuccesses, rejectRequests } from '../mutation/change/responses.ts'
import { matchOperation } from '../mutation/change/match.ts'
import { rewriteKey } from '../mutation/change/requests.ts'
import { BaselineTraffic, findChangedSources } from './changed-traffic.ts'
import type { ProxyHooks } from '../mutation/proxy-hooks.ts'

function exchangeOf(method: string, path: string, status: number): Exchange {
  const headers = { authorization: 'Bearer sk-svc-touchstone-funded' }
  return {
    request: { method, path, headers, url: `http://target.test${path}` },
    startedAtMs: 0,
    totalMs: 1,
    status,
    headers: {},
    body: Buffer.from('{}'),
    text: '{}',
    json: {},
    events: [],
    unfinishedFrame: false,
    memoryBytes: 0,
  }
}

const shared = exchangeOf('GET', '/v1/models', 200)
const traffic = new BaselineTraffic()
traffic.add('preflight', shared)
traffic.add('4.1/list', shared)
traffic.add('4.2/chat', exchangeOf('POST', '/v1/chat/completions', 200))
traffic.add('4.2/rejected', exchangeOf('POST', '/v1/chat/completions', 400))

const matchChat = matchOperation('chat')

describe('the sources of changed traffic', () => {
  test.each<[string, ProxyHooks, readonly string[]]>([
    ['no hooks', {}, []],
    ['a changed response', changeSuccesses(matchChat, (response) => ({ ...response, status: 201 })), ['4.2/chat']],
    ['an equal copy of a response', changeSuccesses(matchChat, (response) => ({ ...response })), []],
    ['a changed request', rewriteKey(matchChat, 'sk-svc-other'), ['4.2/chat', '4.2/rejected']],
    ['a response instead of forwarding', rejectRequests(matchOperation('models'), 500), ['preflight', '4.1/list']],
    [
      'a hook that reads parallel requests',
      changeResponses(
        matchOperation('models', ({ parallel }) => parallel.length > 0),
        (response) => response,
      ),
      ['preflight', '4.1/list'],
    ],
  ])('with %s', (_, hooks, sources) => {
    expect([...findChangedSources(hooks, traffic.exchanges).changed]).toEqual(sources)
  })

  test('are decisive if the request, the status or the list of models changes', () => {
    const changeBody = changeSuccesses(
      () => true,
      (response) => ({ ...response, body: Buffer.from('[]') }),
    )
    const changeToCreated = changeSuccesses(matchChat, (response) => ({ ...response, status: 201 }))
    const decisiveOf = (hooks: ProxyHooks) => [...findChangedSources(hooks, traffic.exchanges).decisive]
    expect(decisiveOf(changeBody)).toEqual(['preflight', '4.1/list'])
    expect(decisiveOf(changeToCreated)).toEqual(['4.2/chat'])
    expect(decisiveOf(rewriteKey(matchChat, 'sk-svc-other'))).toEqual(['4.2/chat', '4.2/rejected'])
  })
})
