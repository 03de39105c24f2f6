import { describe, expect, test } from 'vitest'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { describeResponseClass } from './describe-response-class.ts'

const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 16, stream: false }

/** Describes a check whose request got an error response. */
function describeError(status: number, response: object | string, request: object | string = REQUEST) {
  const text = (value: object | string) => (typeof value === 'string' ? value : JSON.stringify(value))
  const exchange = {
    request: { method: 'POST', url: 'http://h:1/v1/chat/completions', headers: {}, body: text(request) },
    response: { status, headers: {}, body: text(response) },
    truncated: false,
  }
  // The function reads only these fields.
  return describeResponseClass({ actual: '', params: {}, evidence: [exchange] } as unknown as CheckEntry, '--key')
}

describe('an error response that rejects a parameter', () => {
  test.each([
    ['param', 400, { error: { message: 'Too small', param: 'max_tokens' } }, 'max_tokens 16'],
    [
      'loc',
      422,
      { detail: [{ loc: ['body', 'max_tokens'], msg: 'Input should be greater than 31' }] },
      'max_tokens 16',
    ],
    ['loc', 422, { detail: [{ loc: ['body', 'messages', 0, 'content'], msg: 'wrong type' }] }, 'messages'],
    ['text', 400, { error: { message: 'max_tokens must be at least 32' } }, 'max_tokens 16'],
    ['text', 400, 'max_tokens must be at least 32', 'max_tokens 16'],
    ['quoted text', 400, { message: 'unexpected property "stream"' }, 'stream false'],
  ])('the %s names the parameter (%i)', (_, status, response, named) => {
    const { message, remedy } = describeError(status, response)
    expect(message).toMatch(`the server rejects ${named} (POST /v1/chat/completions returned ${status}): `)
    expect(message).toContain(typeof response === 'string' ? response : JSON.stringify(response))
    expect(remedy).not.toContain('--header')
  })

  test('advises to set the model if it names the model', () => {
    const { message, remedy } = describeError(400, { error: { message: 'no', param: 'model' } })
    expect(message).toContain('the server rejects model "m" (')
    expect(remedy).toContain('--model')
  })
})

test.each([
  ['another status', 403, { error: { message: 'max_tokens', param: 'max_tokens' } }, REQUEST],
  ['no parameter', 400, { message: 'x-tenant is missing in the messages of this stream' }, REQUEST],
  ['a field of the body', 400, { model: 'm', error: 'unknown tenant' }, REQUEST],
  ['a parameter that the request lacks', 400, { error: { message: 'no', param: 'tools' } }, REQUEST],
  ['a request that is no JSON', 400, { error: { message: 'max_tokens' } }, 'max_tokens=16'],
])('an error response with %s names no parameter', (_, status, response, request) => {
  const { message, remedy } = describeError(status, response, request)
  expect(message).toMatch(/^POST \/v1\/chat\/completions returned/)
  expect(remedy).toContain('--header')
})
