import { describe, expect, test } from 'vitest'
import { createScriptedContext, type ScriptedResponse } from '../../prove/no-evidence-targets/scripted-context.ts'
import type { Exchange, RequestSpec } from '../../http/exchange.ts'
import { InvalidOptionError } from '../../options/invalid-option-error.ts'
import { loadSdk } from './load-sdk.ts'
import { callSdk, createRecordingFetch } from './call-sdk.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function fetchOf(response: ScriptedResponse) {
  const requests: RequestSpec[] = []
  const exchanges: Exchange[] = []
  const context = createScriptedContext((request) => {
    requests.push(request)
    return response
  })
  return { fetch: createRecordingFetch(context, 'funded', (exchange) => exchanges.push(exchange)), requests, exchanges }
}

test('names the package to install if the SDK is missing', async () => {
  const missing = () => Promise.reject(new Error('Cannot find package'))
  await expect(loadSdk('sdk', missing)).rejects.toThrow(InvalidOptionError)
  await expect(loadSdk('sdk', missing)).rejects.toThrow('sdk needs the npm package openai, which is not installed')
  await expect(loadSdk(undefined, missing)).rejects.toThrow(/^prove needs .* run npm install openai\.$/)
})

describe('the fetch function of the client SDK', () => {
  test('the fetch function of the SDK forwards the request to the target and returns the response unchanged', async () => {
    const { fetch, requests, exchanges } = fetchOf({ status: 201, headers: { ...JSON_TYPE, 'x-a': 'b' }, body: '{}' })
    const response = await fetch('http://target.invalid/v1/x?y=z', {
      method: 'POST',
      headers: { 'X-B': 'c' },
      body: 'é',
    })
    expect(requests).toMatchObject([{ method: 'POST', path: '/v1/x?y=z', headers: { 'x-b': 'c' } }])
    expect(Buffer.from(requests[0]?.body ?? []).toString('utf8')).toBe('é')
    expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([201, 'b', '{}'])
    expect(exchanges).toHaveLength(1)
  })

  test('the fetch function of the SDK sends a form with its boundary', async () => {
    const { fetch, requests } = fetchOf({ status: 200 })
    const form = new FormData()
    form.set('file', new File(['abc'], 'a.wav'))
    await fetch('http://target.invalid/', { method: 'POST', body: form })
    expect(requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(Buffer.from(requests[0]?.body ?? []).toString('utf8')).toContain('filename="a.wav"')
  })

  test('the fetch function of the SDK rejects if the response is truncated or missing', async () => {
    const cut = fetchOf({
      status: 200,
      body: '{"a"',
      error: { kind: 'closed-early', message: 'the response was cut off' },
    })
    await expect((await cut.fetch('http://target.invalid/')).text()).rejects.toThrow('terminated')
    const none = fetchOf({ status: 0, error: { kind: 'reset', message: 'the connection was reset' } })
    await expect(none.fetch('http://target.invalid/')).rejects.toThrow('the connection was reset')
  })

  test('the fetch function of the SDK returns a 204 without a body, and rejects an invalid status', async () => {
    expect((await fetchOf({ status: 204 }).fetch('http://target.invalid/')).body).toBeNull()
    await expect(fetchOf({ status: 999 }).fetch('http://target.invalid/')).rejects.toThrow('status 999')
  })
})

test('a call of the SDK returns its exception and its response, without a retry', async () => {
  const context = createScriptedContext(() => ({
    status: 500,
    headers: JSON_TYPE,
    body: '{"error":{"message":"down"}}',
  }))
  const { response, value, error, sdk } = await callSdk(context, (client) => client.models.list())
  expect([response?.status, value]).toEqual([500, undefined])
  expect(error).toBeInstanceOf(sdk.InternalServerError)
})
