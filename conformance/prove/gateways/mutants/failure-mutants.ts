import { changeEvents, changeWrites, readEvents } from '../change-messages.ts'
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
import type { GatewayFault } from '../gateway-mutant.ts'

const DONE = 'data: [DONE]\n\n'

export const FAILURE_MUTANTS: readonly GatewayFault[] = [
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
    middleware: replaceErrors(async ({ status }, isStream) => createInventedResponse(`Error ${status}`, isStream)),
  },
  {
    id: 'gateway/error-with-status-200',
    breaks: 'an error of the upstream keeps its body, but gets the status 200',
    kills: ['gateway/error-statuses', 'gateway/error-bodies'],
    mayAffect: ['gateway/status-map', 'gateway/error-messages'],
    middleware: replaceErrors(async (response) => ({ ...response, status: 200 })),
  },
  {
    id: 'gateway/error-body-cut',
    breaks: 'an error response to a stream ends after its head',
    kills: ['gateway/error-messages'],
    mayAffect: ['gateway/status-map', 'gateway/retry-after'],
    middleware: replaceErrors(async (response, isStream) =>
      isStream ? { ...response, body: createCutBody(Buffer.alloc(0)) } : response,
    ),
  },
  {
    id: 'gateway/rate-limit-as-completion',
    breaks: 'a 429 of the upstream is sent as the text of a completion',
    kills: ['gateway/error-statuses'],
    mayAffect: ['gateway/status-map', 'gateway/retry-after'],
    middleware: replaceErrors(async (response, isStream) =>
      response.status === 429 ? createInventedResponse('Too many requests', isStream) : response,
    ),
  },
  {
    id: 'gateway/html-error-with-status-200',
    breaks: 'an error of the upstream with an HTML body gets the status 200',
    kills: ['gateway/error-bodies'],
    mayAffect: ['gateway/status-map'],
    middleware: replaceErrors(async (response) => {
      const { bytes } = await readBody(response.body)
      return { ...replaceBody(response, bytes), status: /^\s*</.test(bytes.toString()) ? 200 : response.status }
    }),
  },
  {
    id: 'gateway/cut-stream-done',
    breaks: 'a stream that the upstream cut ends with [DONE]',
    kills: ['gateway/lost-streams'],
    createMiddleware: () => completeCutStreams,
  },
  {
    id: 'gateway/cut-body-completed',
    breaks: 'the beginning of a cut completion is sent as a complete response',
    kills: ['gateway/lost-responses'],
    mayAffect: ['gateway/status-map'],
    createMiddleware: () => completeCutBodies,
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
    middleware: changeEvents(() => ({ raw, chunk }) => {
      if (!isPresent(chunk?.error)) return [raw]
      return [`data: ${JSON.stringify(createCompletion('', 'chat.completion.chunk'))}\n\n`, DONE]
    }),
  },
]

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

/** Sends [DONE] after the last complete event of a stream that was cut. */
const completeCutStreams = changeWrites(async function* complete(body) {
  try {
    for await (const { raw, data } of readEvents(body)) if (data !== undefined || raw.includes('\n\n')) yield raw
  } catch {
    yield Buffer.from(DONE)
  }
})

const completeCutBodies: Middleware = async (request, forward) => {
  const response = await forward(request)
  if (!isChat(request) || response.status !== 200 || isEventStream(response)) return response
  return replaceBody(response, (await readBody(response.body)).bytes)
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
