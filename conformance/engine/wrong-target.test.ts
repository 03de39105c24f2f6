import { expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import type { Exchange } from '../http/exchange.ts'
import { findWrongTargetRemark } from './wrong-target.ts'

const URL = 'http://10.0.0.1'

function respond(status: number, body: string, type = 'text/plain'): Exchange {
  const request = { method: 'GET', path: '/v1/models', headers: {} }
  return createScriptedExchange({ status, headers: { 'content-type': type }, body }, request)
}

const codeOf = (listed: Exchange, chat: Exchange): string | undefined => findWrongTargetRemark(URL, listed, chat)?.code

test.each([
  [400, 'Invalid host header', 'target-rejects-host'],
  [421, 'Misdirected Request', 'target-rejects-host'],
  [404, 'default backend - 404', 'target-rejects-everything'],
  [403, 'RBAC: access denied', 'target-rejects-everything'],
])('recognizes a server that rejects every request with %i and the same text: %s', (status, body, code) => {
  expect(codeOf(respond(status, body), respond(status, body))).toBe(code)
})

test('continues with one text for every error if the target does not offer the list of models', () => {
  const [unknown, host] = [respond(404, 'Not Found'), respond(400, 'Invalid host header')]
  expect(findWrongTargetRemark(URL, unknown, unknown, false)).toBeUndefined()
  expect(findWrongTargetRemark(URL, host, host, false)?.code).toBe('target-rejects-host')
})

test('recognizes a server that does not serve the host name, whatever its responses contain', () => {
  const html = respond(421, '<html>421 Misdirected Request</html>', 'text/html')
  expect(codeOf(html, html)).toBe('target-rejects-host')
  expect(codeOf(respond(421, ''), respond(421, ''))).toBe('target-rejects-host')
})

test.each<[string, Exchange, Exchange]>([
  ['the texts differ', respond(404, 'no list'), respond(404, 'unknown model')],
  ['the statuses differ', respond(404, 'no'), respond(400, 'no')],
  ['the responses are JSON', respond(404, '{}'), respond(404, '{}')],
  [
    'the responses are JSON with the media type text/html',
    respond(200, '{}', 'text/html'),
    respond(200, '{}', 'text/html'),
  ],
  ['the responses are empty', respond(404, ''), respond(404, '')],
  ['the status rejects the key', respond(401, 'no'), respond(401, 'no')],
])('does not stop the run if %s', (_name, listed, chat) => {
  expect(codeOf(listed, chat)).toBeUndefined()
})
