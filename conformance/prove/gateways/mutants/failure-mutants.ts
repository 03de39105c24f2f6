import { changeEvents, changeWrites, readEvents, replaceData } from '../change-messages.ts'
import { isPresent, createCompletion } from '../completion.ts'
import {
  bufferRequest,
  createBody,
  createCutBody,
  createJsonResponse,
  type GatewayResponse,
  isChat,
  isEventStream,
  type Middleware,
  readBody,
  replaceBody,
} from '../gateway-message.ts'
import type { GatewayMutant } from '../gateway-mutant.ts'

const DONE = 'data: [DONE]\n\n'

/** Errors and lost responses of the upstream. */
export const FAILURE_MUTANTS: readonly GatewayMutant[] = [
  {
    id: 'gateway/cut-stream-cached',
    breaks: 'the events before a cut are cached, and sent as the whole stream to the next identical request',
    kills: ['gateway/cut-not-cached'],
    createMiddleware: () => cacheCutStreams('cut'),
  },
  {
    id: 'gateway/cut-stream-joined',
    breaks: 'the gateway requests a stream again that the upstream cut, and sends the whole response after the cut one',
    kills: ['gateway/cut-not-cached'],
    mayAffect: ['gateway/retries'],
    createMiddleware: () => async (incoming, forward) => {
      if (!isChat(incoming)) return await forward(incoming)
      const { request } = await bufferRequest(incoming)
      const response = await forward(request)
      return isEventStream(response) ? { ...response, body: joinCut(response.body, () => forward(request)) } : response
    },
  },
  {
    id: 'gateway/aborted-stream-cached',
    breaks: 'the events before an abort of the client are sent as the whole stream to the next identical request',
    kills: ['gateway/cut-not-cached'],
    createMiddleware: () => cacheCutStreams('aborted'),
  },
  {
    id: 'gateway/error-as-completion',
    breaks: 'an error of the upstream is sent as the text of a completion',
    kills: ['gateway/error-statuses', 'gateway/error-bodies'],
    mayAffect: ['gateway/status-map', 'gateway/retry-after', 'gateway/error-messages'],
    createMiddleware: () =>
      replaceErrors(async ({ status }, isStream) => createInventedResponse(`Error ${status}`, isStream)),
  },
  {
    id: 'gateway/error-with-status-200',
    breaks: 'an error of the upstream keeps its body, but gets the status 200',
    kills: ['gateway/error-statuses', 'gateway/error-bodies'],
    mayAffect: ['gateway/status-map', 'gateway/error-messages'],
    createMiddleware: () => replaceErrors(async (response) => ({ ...response, status: 200 })),
  },
  {
    id: 'gateway/error-body-cut',
    breaks: 'an error response to a stream ends after its head',
    kills: ['gateway/error-messages'],
    mayAffect: ['gateway/status-map', 'gateway/retry-after'],
    createMiddleware: () =>
      replaceErrors(async (response, isStream) =>
        isStream ? { ...response, body: createCutBody(Buffer.alloc(0)) } : response,
      ),
  },
  {
    id: 'gateway/rate-limit-as-completion',
    breaks: 'a 429 of the upstream is sent as the text of a completion',
    kills: ['gateway/error-statuses'],
    mayAffect: ['gateway/status-map', 'gateway/retry-after'],
    createMiddleware: () =>
      replaceErrors(async (response, isStream) =>
        response.status === 429 ? createInventedResponse('Too many requests', isStream) : response,
      ),
  },
  {
    id: 'gateway/html-error-with-status-200',
    breaks: 'an error of the upstream with an HTML body gets the status 200',
    kills: ['gateway/error-bodies'],
    mayAffect: ['gateway/status-map'],
    createMiddleware: () =>
      replaceErrors(async (response) => {
        const { bytes } = await readBody(response.body)
        return { ...replaceBody(response, bytes), status: /^\s*</.test(bytes.toString()) ? 200 : response.status }
      }),
  },
  {
    id: 'gateway/unreadable-error-as-empty-completion',
    breaks: 'an error of the upstream whose body is not JSON becomes an empty completion',
    kills: ['gateway/error-bodies'],
    mayAffect: ['gateway/status-map'],
    createMiddleware: () =>
      replaceErrors(async (response, isStream) => {
        const { bytes } = await readBody(response.body)
        return isJson(bytes) ? replaceBody(response, bytes) : createInventedResponse('', isStream)
      }),
  },
  {
    id: 'gateway/cut-stream-completed',
    breaks: 'a stream that the upstream cut ends with the finish_reason stop and [DONE]',
    kills: ['gateway/lost-streams'],
    createMiddleware: () =>
      completeCutStreams([`data: ${JSON.stringify(createCompletion('', 'chat.completion.chunk'))}\n\n`, DONE]),
  },
  {
    id: 'gateway/cut-stream-done',
    breaks: 'a stream that the upstream cut ends with [DONE]',
    kills: ['gateway/lost-streams'],
    createMiddleware: () => completeCutStreams([DONE]),
  },
  {
    id: 'gateway/cut-body-repaired',
    breaks: 'the missing end of a cut completion is invented',
    kills: ['gateway/lost-responses'],
    mayAffect: ['gateway/status-map'],
    createMiddleware: () =>
      replaceCutBodies((bytes) => {
        const text = /"content": ?"((?:[^"\\]|\\.)*)/.exec(bytes.toString())?.[1] ?? ''
        return createInventedResponse(text, false)
      }),
  },
  {
    id: 'gateway/cut-body-as-empty-completion',
    breaks: 'a cut completion becomes an empty completion',
    kills: ['gateway/lost-responses'],
    mayAffect: ['gateway/status-map'],
    createMiddleware: () => replaceCutBodies(() => createInventedResponse('', false)),
  },
  {
    id: 'gateway/cut-body-completed',
    breaks: 'the beginning of a cut completion is sent as a complete response',
    kills: ['gateway/lost-responses'],
    mayAffect: ['gateway/status-map'],
    createMiddleware: () => replaceCutBodies((bytes, response) => replaceBody(response, bytes)),
  },
  {
    id: 'gateway/missing-response-as-empty-completion',
    breaks: 'a response whose head never arrives becomes an empty completion',
    kills: ['gateway/lost-responses'],
    mayAffect: ['gateway/lost-streams', 'gateway/status-map'],
    createMiddleware: () => async (request, forward) => {
      try {
        return await forward(request)
      } catch (error) {
        if (isChat(request)) return createInventedResponse('', false)
        throw error
      }
    },
  },
  {
    id: 'gateway/error-event-swallowed',
    breaks: 'an error event is dropped, and the stream ends with the finish_reason stop and [DONE]',
    kills: ['gateway/error-event'],
    createMiddleware: () =>
      changeEvents(() => ({ raw, chunk }) => {
        if (!isPresent(chunk?.error)) return [raw]
        return [`data: ${JSON.stringify(createCompletion('', 'chat.completion.chunk'))}\n\n`, DONE]
      }),
  },
  {
    id: 'gateway/error-event-as-text',
    breaks: 'the message of an error event is sent as text, and the stream ends with the finish_reason stop and [DONE]',
    kills: ['gateway/error-event'],
    createMiddleware: () =>
      changeEvents(() => (event) => {
        const { raw, chunk } = event
        if (!isPresent(chunk?.error)) return [raw]
        const message = JSON.stringify(chunk.error)
        return [replaceData(event, JSON.stringify(createCompletion(message, 'chat.completion.chunk'))), DONE]
      }),
  },
]

/** Replaces responses to chats with a status of at least 400. */
function replaceErrors(
  replace: (response: GatewayResponse, isStream: boolean) => Promise<GatewayResponse>,
): Middleware {
  return async (request, forward) => {
    let isStream = false
    const changed = { ...request, body: watch(request.body, (text) => (isStream ||= /"stream": ?true/.test(text))) }
    const response = await forward(changed)
    return isChat(request) && response.status >= 400 ? await replace(response, isStream) : response
  }
}

/** Calls `read` with the text of the body so far. */
async function* watch(body: AsyncIterable<Buffer>, read: (text: string) => void): AsyncGenerator<Buffer> {
  let text = ''
  for await (const bytes of body) {
    text += bytes.toString('latin1')
    read(text)
    yield bytes
  }
}

function createInventedResponse(text: string, isStream: boolean): GatewayResponse {
  if (!isStream) return createJsonResponse(200, createCompletion(text, 'chat.completion'))
  const chunk = JSON.stringify(createCompletion(text, 'chat.completion.chunk'))
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: createBody(`data: ${chunk}\n\n${DONE}`),
  }
}

/** Sends `end` after the last complete event of a stream that was cut. */
function completeCutStreams(end: readonly string[]): Middleware {
  return changeWrites(async function* complete(body) {
    try {
      for await (const { raw, data } of readEvents(body)) if (data !== undefined || raw.includes('\n\n')) yield raw
    } catch {
      for (const event of end) yield Buffer.from(event)
    }
  })
}

function replaceCutBodies(replace: (bytes: Buffer, response: GatewayResponse) => GatewayResponse): Middleware {
  return async (request, forward) => {
    const response = await forward(request)
    if (!isChat(request) || response.status !== 200 || isEventStream(response)) return response
    const { bytes, isCut } = await readBody(response.body)
    return isCut ? replace(bytes, response) : { ...response, body: createBody(bytes) }
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}

/** Caches the events of streams that the upstream cut, or that the client aborted. */
function cacheCutStreams(end: 'cut' | 'aborted'): Middleware {
  const cache = new Map<string, GatewayResponse>()
  return async (incoming, forward) => {
    if (!isChat(incoming)) return await forward(incoming)
    const { request, bytes } = await bufferRequest(incoming)
    const key = bytes.toString()
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const response = await forward(request)
    if (!isEventStream(response)) return response
    const parts: Buffer[] = []
    const store = () => cache.set(key, { ...response, body: createBody(Buffer.concat(parts)) })
    // A cut closes the connection to the client too.
    let isCut = false
    request.signal.addEventListener('abort', () => {
      if (isCut === (end === 'cut')) store()
    })
    return { ...response, body: keepParts(response.body, parts, () => (isCut = true)) }
  }
}

async function* keepParts(body: AsyncIterable<Buffer>, parts: Buffer[], onCut: () => void): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of body) {
      parts.push(bytes)
      yield bytes
    }
  } catch (error) {
    onCut()
    throw error
  }
}

async function* joinCut(body: AsyncIterable<Buffer>, repeat: () => Promise<GatewayResponse>): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch {
    yield Buffer.from('\n\n')
    yield* (await repeat()).body
  }
}
