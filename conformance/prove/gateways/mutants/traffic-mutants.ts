import { PassThrough } from 'node:stream'
import { type Completion, isPresent } from '../completion.ts'
import {
  changeCompletions,
  changeEvents,
  changeHead,
  changeWrites,
  readEvents,
  replaceData,
} from '../change-messages.ts'
import {
  bufferRequest,
  createBody,
  createCutBody,
  createErrorResponse,
  type GatewayRequest,
  type GatewayResponse,
  isChat,
  isEventStream,
  type Middleware,
  readBody,
} from '../gateway-message.ts'
import type { GatewayMutant } from '../gateway-mutant.ts'
import { PARALLEL_CHECKS } from '../parallel-checks.ts'

/** Number of aborted requests after which the gateway with leaking slots rejects a request. */
const SLOTS = 8

/** Number of chats in progress up to which the gateways with a shared buffer do not share it. */
const OWN_BUFFERS = 8

/** Isolation, duplicate requests, secrets, aborts and pace. */
export const TRAFFIC_MUTANTS: readonly GatewayMutant[] = [
  {
    id: 'gateway/shared-text-buffer',
    breaks: `streams share a buffer while more than ${OWN_BUFFERS} chats are open, so one sends the text of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () => {
      const buffer = createSharedBuffer<string>()
      return async (request, forward) => {
        if (!isChat(request)) return await forward(request)
        const shared = buffer.open()
        const response = await forward(request).catch((error: unknown) => {
          shared.close()
          throw error
        })
        if (isEventStream(response)) return { ...response, body: exchangeText(response.body, shared) }
        return { ...response, body: callFinally(response.body, shared.close) }
      }
    },
  },
  {
    id: 'gateway/shared-completion',
    breaks: `completions share a variable while more than ${OWN_BUFFERS} chats are open, so one has the text of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () => shareCompletions(({ choices }) => ({ choices })),
  },
  {
    id: 'gateway/shared-usage',
    breaks: `completions share a variable while more than ${OWN_BUFFERS} chats are open, so one has the usage of another`,
    kills: ['gateway/isolation'],
    mayAffect: PARALLEL_CHECKS,
    createMiddleware: () => shareCompletions(({ usage }) => ({ usage })),
  },
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
    id: 'gateway/stream-sent-again',
    breaks: 'after the end of a stream, the gateway repeats the request to count its tokens',
    kills: ['gateway/once'],
    createMiddleware: () => async (incoming, forward) => {
      if (!isChat(incoming)) return await forward(incoming)
      const { request } = await bufferRequest(incoming)
      const response = await forward(request)
      if (!isEventStream(response)) return response
      const repeat = () => dropResponse(forward({ ...request, signal: new AbortController().signal }))
      return { ...response, body: callAtEnd(response.body, repeat) }
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
    id: 'gateway/upstream-key-in-header',
    breaks: 'a response header contains the API key of the upstream',
    kills: ['gateway/upstream-key'],
    mayAffect: ['gateway/response-headers'],
    createMiddleware: ({ upstreamKey = 'none' }) =>
      changeHead(({ headers }) => ({
        headers: { ...headers, 'x-upstream-request': `authorization: Bearer ${upstreamKey}` },
      })),
  },
  {
    id: 'gateway/upstream-address-in-error',
    breaks: 'the body of an error contains the address of the upstream',
    kills: ['gateway/upstream-address'],
    createMiddleware: ({ upstreamUrl }) =>
      addToErrors(({ target }) => `The request to ${new URL(target, upstreamUrl).href} failed`),
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
    id: 'gateway/slots-leak',
    breaks: `each aborted request occupies one of ${SLOTS} slots, until a request finds none and gets a 429`,
    kills: ['gateway/slots'],
    createMiddleware: () => {
      let leaked = 0
      return (request, forward) => {
        if (leaked >= SLOTS) {
          leaked = 0
          return Promise.resolve(createErrorResponse(429, 'The gateway has no free slot.'))
        }
        request.signal.addEventListener('abort', () => (leaked += 1), { once: true })
        return forward(request)
      }
    },
  },
  {
    id: 'gateway/stream-buffered',
    breaks: 'a stream is sent when it has ended',
    kills: ['gateway/pace'],
    mayAffect: ['gateway/heartbeats', 'gateway/abort-stream', 'gateway/slots'],
    createMiddleware: () =>
      changeWrites(async function* buffer(body) {
        const { bytes, isCut } = await readBody(body)
        yield* isCut ? createCutBody(bytes) : createBody(bytes)
      }),
  },
  {
    id: 'gateway/event-held',
    breaks: 'each event is sent when the next one arrives',
    kills: ['gateway/pace'],
    mayAffect: ['gateway/heartbeats', 'gateway/error-event'],
    createMiddleware: () =>
      changeEvents(() => {
        let held: Buffer | undefined
        return ({ raw, data }) => {
          const ready = held === undefined ? [] : [held]
          held = data === '[DONE]' ? undefined : raw
          return data === '[DONE]' ? [...ready, raw] : ready
        }
      }),
  },
]

/** One chat that uses a shared buffer. */
interface SharedBuffer<T> {
  put(value: T): void
  /** Returns the value of another chat once, if enough chats are open. */
  takeOther(): T | undefined
  close(): void
}

function createSharedBuffer<T>(): { open(): SharedBuffer<T> } {
  const open = new Set<object>()
  let last: { readonly owner: object; readonly value: T } | undefined
  return {
    open() {
      const owner = {}
      let hasTaken = false
      open.add(owner)
      return {
        put(value) {
          last = { owner, value }
        },
        takeOther() {
          if (hasTaken || last === undefined || last.owner === owner || open.size <= OWN_BUFFERS) return undefined
          hasTaken = true
          return last.value
        },
        close() {
          open.delete(owner)
          if (open.size === 0) last = undefined
        },
      }
    },
  }
}

/** Sends the text of another stream before the chunk with the finish reason. */
async function* exchangeText(body: AsyncIterable<Buffer>, shared: SharedBuffer<string>): AsyncGenerator<Buffer> {
  let text = ''
  try {
    for await (const event of readEvents(body)) {
      const { delta, finish_reason: reason } = event.chunk?.choices?.[0] ?? {}
      const other = isPresent(reason) ? shared.takeOther() : undefined
      if (other !== undefined) {
        const choice = { index: 0, delta: { content: other }, finish_reason: null }
        yield replaceData(event, JSON.stringify({ ...event.chunk, choices: [choice] }))
      }
      text += delta?.content ?? ''
      shared.put(text)
      yield event.raw
    }
  } finally {
    shared.close()
  }
}

/** Replaces fields of a completion by those of another completion. */
function shareCompletions(select: (completion: Completion) => object): Middleware {
  const buffer = createSharedBuffer<object>()
  return async (request, forward) => {
    if (!isChat(request)) return await forward(request)
    const shared = buffer.open()
    const exchange = changeCompletions((completion) => {
      const other = shared.takeOther()
      shared.put(select(completion))
      Object.assign(completion, other)
    })
    const response = await exchange(request, forward).catch((error: unknown) => {
      shared.close()
      throw error
    })
    return { ...response, body: callFinally(response.body, shared.close) }
  }
}

async function* callFinally(body: AsyncIterable<Buffer>, call: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body
  } finally {
    call()
  }
}

async function* callAtEnd(body: AsyncIterable<Buffer>, call: () => void): AsyncGenerator<Buffer> {
  yield* body
  call()
}

/** Reads a response whose bytes nobody needs. */
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
