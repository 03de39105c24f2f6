import { expect, test } from 'vitest'
import { hasBrokenDown } from './breakdown.ts'

const respond = (method: string, path: string, status: number) => hasBrokenDown({ status, request: { method, path } })

test('does not count a 501 as a breakdown if the specification does not use the method for the path', () => {
  expect(respond('DELETE', '/v1/models', 501)).toBe(false)
  expect(respond('HEAD', '/v1/models', 501)).toBe(false)
  expect(respond('OPTIONS', '/v1/chat/completions', 501)).toBe(false)
  expect(respond('GET', '/v1/chat/completions', 501)).toBe(false)
})

test('counts any other 5xx to such a method, and a 501 to a specified or unknown endpoint, as a breakdown', () => {
  expect(respond('DELETE', '/v1/models', 500)).toBe(true)
  expect(respond('HEAD', '/v1/models', 503)).toBe(true)
  expect(respond('GET', '/v1/models', 501)).toBe(true)
  expect(respond('POST', '/v1/chat/completions', 501)).toBe(true)
  expect(respond('GET', '/v1/unknown', 501)).toBe(true)
})
