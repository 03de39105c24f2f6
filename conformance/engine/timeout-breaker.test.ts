import { expect, test } from 'vitest'
import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import { createScriptedExchange } from '../checks/scripted-context.ts'
import { type EndedRequest, TimeoutBreaker } from './timeout-breaker.ts'

interface Sent {
  readonly isStream?: boolean
  /** Body of the response. Default: no response, so that the request times out after 20 s. */
  readonly body?: string
}

function ended(operation: Operation, { isStream = false, body }: Sent = {}): EndedRequest {
  const request = {
    method: 'POST',
    headers: {},
    path: OPERATIONS[operation].path,
    body: Buffer.from(`{"stream":${isStream}}`),
  }
  const response =
    body === undefined ? { status: 0, error: { kind: 'timeout' as const, message: '' } } : { status: 200, body }
  return { request, exchange: { ...createScriptedExchange(response, request), totalMs: 20_000 }, operation }
}

const SERVED = { body: '{}' }

test('stops only an operation with two consecutive timeouts', () => {
  const breaker = new TimeoutBreaker(() => true)
  breaker.record(ended('chat'))
  breaker.record(ended('chat', SERVED))
  breaker.record(ended('chat'))
  expect(breaker.obstacle('chat')).toBeUndefined()
  breaker.record(ended('chat'))
  const stopped = { code: 'operation-timed-out', params: { operation: 'chat', timeoutMs: 20_000 } }
  expect(breaker.obstacle('chat')).toEqual(stopped)
  breaker.record(ended('chat', SERVED))
  expect(breaker.obstacle('chat')).toEqual(stopped)
  expect(breaker.obstacle('images')).toBeUndefined()
})

test('stops an operation after one timeout if the operation has never responded', () => {
  const breaker = new TimeoutBreaker(() => false)
  breaker.record(ended('chat'))
  expect(breaker.obstacle('chat')?.code).toBe('operation-timed-out')
})

test('after one timeout, stops streams if none has ever sent an event, but not other chats', () => {
  const breaker = new TimeoutBreaker(() => true)
  breaker.record(ended('chat', { isStream: true }))
  breaker.record(ended('chat', SERVED))
  expect(breaker.obstacle('chat')).toBeUndefined()
  expect(breaker.obstacleTo(ended('chat').request)).toBeUndefined()
  expect(breaker.obstacleTo(ended('chat', { isStream: true }).request)).toEqual({
    code: 'operation-timed-out',
    params: { operation: 'chat', isStream: true, timeoutMs: 20_000 },
  })
})

test('after two consecutive timeouts, stops sending streams even if an earlier stream sent events', () => {
  const breaker = new TimeoutBreaker(() => true)
  const { request } = ended('chat', { isStream: true })
  breaker.record(ended('chat', { isStream: true, body: 'data: {}\n\n' }))
  breaker.record(ended('chat', { isStream: true }))
  expect(breaker.obstacleTo(request)).toBeUndefined()
  breaker.record(ended('chat', SERVED))
  breaker.record(ended('chat', { isStream: true }))
  expect(breaker.obstacleTo(request)?.code).toBe('operation-timed-out')
})
