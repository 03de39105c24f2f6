import { describe, expect, test } from 'vitest'
import { describeConsequence, findBodyDeviation, predictSdkMessage } from './error-body.ts'
import {
  type ScriptedResponse,
  createScriptedContext,
  createScriptedExchange,
} from '../../prove/no-evidence-targets/scripted-context.ts'
import { callSdk } from '../1-service/call-sdk.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function errorResponse(body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): ScriptedResponse {
  return { status: 401, headers, body }
}

const WHOLE = '{"error":{"message":"No.","type":"auth","param":null,"code":null}}'

const BODIES: readonly (readonly [body: string, kind: string])[] = [
  [WHOLE, 'message'],
  ['{"error":{"message":"No.","type":"auth","code":null}}', 'message'],
  ['{"error":{"message":"No."}}', 'message'],
  ['{"error":{"message":"","type":"auth"}}', 'error-as-json'],
  ['{"error":{"message":{"text":"No."},"type":"auth"}}', 'error-as-json'],
  ['{"error":{"type":"auth"}}', 'error-as-json'],
  ['{"error":"No."}', 'error-as-json'],
  ['{"error":["No."]}', 'error-as-json'],
  ['{"error":null}', 'nothing'],
  ['{"error":""}', 'nothing'],
  ['{"detail":"No."}', 'nothing'],
  ['{"message":"No."}', 'nothing'],
  ['[]', 'nothing'],
  ['5', 'nothing'],
  ['', 'nothing'],
  ['null', 'whole-body'],
  ['0', 'whole-body'],
  ['No.', 'whole-body'],
  ['<html><h1>401</h1></html>', 'whole-body'],
]

test.each(BODIES)('predicts the message of the openai SDK for the error body %s', async (body, kind) => {
  const response = errorResponse(body)
  const predicted = predictSdkMessage(createScriptedExchange(response))
  const { error } = await callSdk(
    createScriptedContext(() => response),
    (client) => client.models.list(),
  )
  expect(error?.message).toBe(predicted.text)
  expect(predicted.kind).toBe(kind)
})

test('the openai SDK shows the message of a complete error body regardless of its media type', async () => {
  const context = createScriptedContext(() => errorResponse(WHOLE, { 'content-type': 'text/plain' }))
  const { error } = await callSdk(context, (client) => client.models.list())
  expect(error?.message).toBe('401 No.')
})

test('the exception of the openai SDK has the value undefined for a missing member of the error', async () => {
  const context = createScriptedContext(() => errorResponse('{"error":{"message":"No.","type":"auth","code":null}}'))
  const { error } = await callSdk(context, (client) => client.models.list())
  expect(error).toMatchObject({ message: '401 No.', type: 'auth', code: null, param: undefined })
})

describe('the consequence of an error body', () => {
  test.each([
    [
      errorResponse('{"error":{"message":"No.","type":"auth","code":null}}'),
      'the openai SDK for Node.js still shows the message; the param of its exception is undefined',
    ],
    [
      errorResponse('{"error":{"message":"No.","type":5,"param":null,"code":null}}'),
      'the openai SDK for Node.js still shows the message; the type of its exception is of another type',
    ],
    [
      errorResponse(WHOLE, { 'content-type': 'text/plain' }),
      'the openai SDK for Node.js still shows the message; clients that choose the parser by the media type get text instead of the error',
    ],
    [
      errorResponse('<html></html>', { 'content-type': 'text/html' }),
      'the openai SDK for Node.js shows the whole body as the message',
    ],
    [
      errorResponse('{"detail":"No."}'),
      'the openai SDK for Node.js shows "status code (no body)" instead of the message',
    ],
    [
      errorResponse('{"error":"No."}'),
      'the openai SDK for Node.js shows the JSON text of the error instead of a message',
    ],
  ])('names the consequence for the deviation %o', (response, consequence) => {
    const exchange = createScriptedExchange(response)
    const deviation = findBodyDeviation(exchange)
    expect(deviation && describeConsequence(exchange, deviation)).toBe(consequence)
  })
})

test('names the missing member of an error before its media type', () => {
  const response = errorResponse('{"detail":"No."}', { 'content-type': 'application/problem+json' })
  expect(findBodyDeviation(createScriptedExchange(response))).toEqual({
    code: 'missing-field',
    params: { path: 'error' },
  })
})
