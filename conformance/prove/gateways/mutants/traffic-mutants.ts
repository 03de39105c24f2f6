import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { changeEvents, changeHead, changeWrites } from '../change-messages.ts'
import {
  acceptsGzip,
  bufferRequest,
  createBody,
  createCutBody,
  createErrorResponse,
  type GatewayRequest,
  type GatewayResponse,
  isChat,
  isEventStream,
  type Middleware,
  omitFields,
  readBody,
} from '../gateway-message.ts'
import type { GatewayFault } from '../gateway-mutant.ts'

export const TRAFFIC_MUTANTS: readonly GatewayFault[] = [
  {
    id: 'gateway/sent-twice',
    breaks: 'every completion is requested twice, and the second response is dropped',
    kills: ['gateway/once'],
    mayAffect: ['gateway/retries', 'gateway/response-headers', 'gateway/cache'],
    createMiddleware: () => async (incoming, forward) => {
      if (!isChat(incoming)) return await forward(incoming)
      const { request } = await bufferRequest(incoming)
      const response = await forward(request)
      if (!isEventStream(response) && response.status === 200) await dropResponse(forward(request))
      return response
    },
  },
  {
    id: 'gateway/upstream-key-in-error',
    breaks: 'the body of an error contains the API key of the upstream',
    kills: ['gateway/upstream-key'],
    createMiddleware: ({ upstreamKey }) =>
      addToErrors(({ headers }) => `The request with ${upstreamKey ?? headers['authorization']} failed`),
  },
  {
    id: 'gateway/upstream-address-in-header',
    breaks: 'a response header contains the address of the upstream',
    kills: ['gateway/upstream-address'],
    mayAffect: ['gateway/response-headers'],
    createMiddleware: ({ upstreamUrl }) =>
      changeHead(({ headers }) => ({ headers: { ...headers, 'x-upstream-url': upstreamUrl } })),
  },
  {
    id: 'gateway/abort-not-forwarded',
    breaks: 'the gateway reads a stream to its end after the client disconnected',
    kills: ['gateway/abort-stream'],
    createMiddleware: () => async (request, forward) => {
      const beforeHead = new AbortController()
      const abort = () => beforeHead.abort()
      request.signal.addEventListener('abort', abort)
      const response = await forward({ ...request, signal: beforeHead.signal })
      request.signal.removeEventListener('abort', abort)
      return { ...response, body: readAhead(response.body) }
    },
  },
  {
    id: 'gateway/aborted-request-sent-again',
    breaks: 'the gateway treats an abort of the client as a failure of the upstream, and sends the request again',
    kills: ['gateway/abort-waiting'],
    mayAffect: ['gateway/abort-stream'],
    createMiddleware: () => async (incoming, forward) => {
      if (!isChat(incoming)) return await forward(incoming)
      const { request } = await bufferRequest(incoming)
      return await forward(request).catch((error: unknown) => {
        if (!request.signal.aborted) throw error
        return forward({ ...request, signal: new AbortController().signal })
      })
    },
  },
  {
    id: 'gateway/abort-before-head-not-forwarded',
    breaks: 'the gateway reads the whole response if the client disconnected before its head',
    kills: ['gateway/abort-waiting'],
    createMiddleware: () => async (request, forward) => {
      const afterHead = new AbortController()
      const response = await forward({ ...request, signal: afterHead.signal })
      if (request.signal.aborted) return { ...response, body: readAhead(response.body) }
      request.signal.addEventListener('abort', () => afterHead.abort())
      return response
    },
  },
  {
    id: 'gateway/compression-buffered',
    breaks: 'a stream is compressed without a flush after each event',
    kills: ['gateway/pace-compressed'],
    createMiddleware: () => async (request, forward) => {
      const response = await forward(request)
      if (!isEventStream(response) || !acceptsGzip(request)) return response
      const headers = { ...omitFields(response.headers, 'content-length'), 'content-encoding': 'gzip' }
      const compressor = createGzip()
      pipeline(response.body, compressor).catch(() => {})
      return { ...response, headers, body: compressor }
    },
  },
  {
    id: 'gateway/stream-buffered',
    breaks: 'a stream is sent when it has ended',
    kills: ['gateway/pace'],
    mayAffect: ['gateway/heartbeats', 'gateway/abort-stream', 'gateway/slots', 'gateway/pace-compressed'],
    middleware: changeWrites(async function* buffer(body) {
      const { bytes, isCut } = await readBody(body)
      yield* isCut ? createCutBody(bytes) : createBody(bytes)
    }),
  },
  {
    id: 'gateway/event-held',
    breaks: 'each event is sent when the next one arrives',
    kills: ['gateway/pace'],
    mayAffect: ['gateway/heartbeats', 'gateway/error-event', 'gateway/pace-compressed'],
    middleware: changeEvents(() => {
      let held: Buffer | undefined
      return ({ raw, data }) => {
        const ready = held === undefined ? [] : [held]
        held = data === '[DONE]' ? undefined : raw
        return data === '[DONE]' ? [...ready, raw] : ready
      }
    }),
  },
]

async function dropResponse(response: Promise<GatewayResponse>): Promise<void> {
  await response.then(({ body }) => readBody(body)).catch(() => {})
}

/** Replaces the body of each error response, also of the response if the upstream does not respond. */
function addToErrors(describe: (request: GatewayRequest) => string): Middleware {
  return async (request, forward) => {
    const response = await forward(request).catch(() => createErrorResponse(502, ''))
    if (response.status < 400) return response
    await readBody(response.body)
    const error = createErrorResponse(response.status, describe(request))
    return { ...error, headers: { ...response.headers, ...error.headers } }
  }
}

/** Reads a body to its end, even if nobody reads the result. */
function readAhead(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const read = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER })
  const copy = async () => {
    for await (const bytes of body) read.write(bytes)
    read.end()
  }
  read.on('error', () => {}) // The iteration throws the error too.
  copy().catch((error: Error) => read.destroy(error))
  return read
}
