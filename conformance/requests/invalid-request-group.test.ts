import { expect, test } from 'vitest'
import { groupInvalidRequest } from './invalid-request-group.ts'

const CHAT = '/v1/chat/completions'

test.each([
  ['endpoint', { path: '/v1/nothing', key: 'none' }],
  ['body', { path: CHAT, key: 'none', body: '{"model":' }],
  ['body', { path: CHAT, key: 'funded', body: '[]' }],
  ['key', { path: '/v1/models', key: 'invalid' }],
  ['account', { path: CHAT, key: 'no-credits', body: '{}' }],
  ['parameter', { path: CHAT, key: 'funded', body: '{"model":5}' }],
] as const)('the group of an invalid request is %s for %j', (group, request) => {
  const body = 'body' in request ? { body: Buffer.from(request.body) } : {}
  expect(groupInvalidRequest({ path: request.path, key: request.key, ...body }, undefined)).toBe(group)
})

test('a form belongs to the group parameter, although it is not JSON', () => {
  const request = { path: '/v1/audio/transcriptions', key: 'funded', body: Buffer.from('--x') } as const
  expect(groupInvalidRequest(request, { model: 'm' })).toBe('parameter')
})
