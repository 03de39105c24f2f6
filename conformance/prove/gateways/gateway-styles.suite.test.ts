import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { changeParameters, isJsonRequest } from './change-messages.ts'
import { acceptsGzip, createErrorResponse, isChat, type Middleware, omitFields } from './gateway-message.ts'
import { runGateway } from './run-gateway-mutant.ts'
import type { GatewayOptions } from './start-gateway.ts'

const MAX_REQUESTS_PER_S = 10

/** Rejects requests above a rate limit. */
function limitRate(): Middleware {
  let timesMs: number[] = []
  return async (request, forward) => {
    const nowMs = performance.now()
    timesMs = timesMs.filter((atMs) => nowMs - atMs < 1000)
    if (timesMs.length >= MAX_REQUESTS_PER_S) return createErrorResponse(429, 'Too many requests.')
    timesMs.push(nowMs)
    return await forward(request)
  }
}

/** Rejects all chats after the first ones for a minute, which is longer than the suite waits. */
function limitChats(maxChats: number): Middleware {
  let chats = 0
  return async (request, forward) => {
    chats += isChat(request) ? 1 : 0
    if (chats <= maxChats) return await forward(request)
    const response = createErrorResponse(429, 'Too many requests.')
    return { ...response, headers: { ...response.headers, 'retry-after': '60' } }
  }
}

/** Writes requests anew with the members of typed clients. */
function addTypedMembers(): Middleware {
  const change = changeParameters((parameters) => {
    for (const message of parameters.messages ?? []) {
      message['name'] ??= null
      for (const [index, call] of toObjects(message['tool_calls']).entries()) call['index'] = index
    }
    for (const tool of toObjects(parameters['tools'])) tool['strict'] ??= null
  })
  return (request, forward) => (isJsonRequest(request) ? change(request, forward) : forward(request))
}

/** Compresses the responses to clients that accept it, and flushes each write. */
function compress(): Middleware {
  return async (request, forward) => {
    const response = await forward(request)
    if (!acceptsGzip(request)) return response
    const headers = { ...omitFields(response.headers, 'content-length'), 'content-encoding': 'gzip' }
    const compressor = createGzip({ flush: constants.Z_SYNC_FLUSH })
    pipeline(response.body, compressor).catch(() => {})
    return { ...response, headers, body: compressor }
  }
}

function toObjects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : []
}

const GATEWAYS: readonly (readonly [string, Pick<GatewayOptions, 'style' | 'createMiddleware'>])[] = [
  ['that forwards bytes', { style: 'bytes' }],
  ['that writes responses anew', { style: 'events' }],
  [`with a limit of ${MAX_REQUESTS_PER_S} requests per second`, { createMiddleware: limitRate }],
  ['that compresses responses', { createMiddleware: compress }],
  ['that writes requests anew with typed members', { createMiddleware: addTypedMembers }],
]

test.each(GATEWAYS)('no check fails or warns for a gateway %s', async (_name, options) => {
  const results = [...(await runGateway(options)).values()]
  expect(results.length).toBeGreaterThan(0)
  expect(results.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'observed')).toEqual([])
})

test.each(['gateway/slots', 'gateway/slots-after-rejections'])(
  '%s is not testable if a rate limit lasts longer than the suite waits',
  async (id) => {
    const results = await runGateway({ createMiddleware: () => limitChats(12) }, [id])
    expect(results.get(id)).toMatchObject({ verdict: 'not-testable', code: 'request-not-forwarded' })
  },
)

test.each(['gateway/slots', 'gateway/slots-after-rejections', 'gateway/slots-after-failures', 'gateway/cool-down'])(
  '%s is not testable if the gateway serves no plain chat from the start',
  async (id) => {
    const createMiddleware = (): Middleware => async (request, forward) => {
      const response = await forward(request)
      return isChat(request) ? { ...response, headers: { ...response.headers, 'content-encoding': 'gzip' } } : response
    }
    const results = await runGateway({ createMiddleware }, [id])
    expect(results.get(id)).toMatchObject({ verdict: 'not-testable', code: 'request-not-served' })
  },
)
