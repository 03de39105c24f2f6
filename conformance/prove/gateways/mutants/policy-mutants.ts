import { setTimeout as sleep } from 'node:timers/promises'
import {
  chain,
  changeBodies,
  changeChunks,
  changeCompletions,
  changeEvents,
  changeForm,
  changeHead,
  changeWrites,
  dropEvents,
} from '../change-messages.ts'
import { cacheCompletions } from '../cache-completions.ts'
import { isPresent, type Completion } from '../completion.ts'
import {
  bufferRequest,
  createErrorResponse,
  type Forward,
  type GatewayRequest,
  type GatewayResponse,
  isChat,
  type Middleware,
  omitFields,
  readBody,
  selectFields,
} from '../gateway-message.ts'
import type { GatewayFault } from '../gateway-mutant.ts'

const MAX_RETRIES = 2
const COOL_DOWN_MS = 2000
const HEARTBEAT_MS = 100

/** Lawful gateways with another policy, which the checks of unspecified behaviour must observe. */
export const POLICY_MUTANTS: readonly GatewayFault[] = [
  {
    id: 'gateway/retries-twice',
    breaks: 'nothing: the gateway repeats a request twice after a 429, a 5xx, or a lost response',
    kills: ['gateway/retries'],
    mayAffect: ['gateway/cool-down', 'gateway/slots'],
    createMiddleware: () => async (incoming, forward) => {
      if (!isChat(incoming)) return await forward(incoming)
      const { request } = await bufferRequest(incoming)
      return await retry(request, forward)
    },
  },
  {
    id: 'gateway/errors-as-500',
    breaks: 'nothing: the client gets the status 500 for every error of the upstream',
    kills: ['gateway/status-map'],
    middleware: changeHead(({ status }) => ({ status: status >= 400 ? 500 : status })),
  },
  {
    id: 'gateway/retry-after-dropped',
    breaks: 'nothing: Retry-After is dropped',
    kills: ['gateway/retry-after'],
    mayAffect: ['gateway/response-headers'],
    middleware: changeHead(({ headers }) => ({ headers: omitFields(headers, 'retry-after') })),
  },
  {
    id: 'gateway/cools-down',
    breaks: `nothing: after a 5xx or a lost response, every request gets a 503 for ${COOL_DOWN_MS} ms`,
    kills: ['gateway/cool-down'],
    mayAffect: ['gateway/retries', 'gateway/status-map', 'gateway/error-statuses', 'gateway/error-bodies'],
    createMiddleware: () => coolDown(),
  },
  {
    id: 'gateway/caches-completions',
    breaks: 'nothing: an identical completion is sent from a cache',
    kills: ['gateway/cache'],
    mayAffect: ['gateway/once', 'gateway/status-map'],
    createMiddleware: () => cacheCompletions((body) => body.toString()),
  },
  {
    id: 'gateway/comments-dropped',
    breaks: 'nothing: comments of a stream are dropped',
    kills: ['gateway/event-form'],
    mayAffect: ['gateway/heartbeats'],
    middleware: dropLines(/^:/),
  },
  {
    id: 'gateway/event-ids-dropped',
    breaks: 'nothing: the field id of events is dropped',
    kills: ['gateway/event-form'],
    middleware: dropLines(/^id(?::|$)/),
  },
  {
    id: 'gateway/unknown-fields-dropped',
    breaks: 'nothing: fields of chunks that the specification does not define are dropped',
    kills: ['gateway/event-form'],
    middleware: changeChunks(() => dropUnknownFields),
  },
  {
    id: 'gateway/upload-name-replaced',
    breaks: 'nothing: an uploaded file gets another name with the same extension',
    kills: ['gateway/file-name'],
    middleware: changeForm((form) => form.replace(/filename\*?=(?:"[^"]*"|[^;\r\n]+)/, 'filename="upload.wav"')),
  },
  {
    id: 'gateway/refusal-dropped',
    breaks: 'nothing: refusals and log probabilities of a completion are dropped',
    kills: ['gateway/other-fields'],
    middleware: changeCompletions(({ choices }) => {
      for (const choice of choices ?? []) {
        delete choice.message?.refusal
        delete choice.logprobs
      }
    }),
  },
  {
    id: 'gateway/reasoning-dropped',
    breaks: 'nothing: the reasoning of a response is dropped',
    kills: ['gateway/reasoning'],
    middleware: chain(
      changeChunks(() => dropReasoning),
      changeCompletions(dropReasoning),
    ),
  },
  {
    id: 'gateway/heartbeats-dropped',
    breaks: 'nothing: heartbeats of the upstream are dropped',
    kills: ['gateway/heartbeats'],
    mayAffect: ['gateway/event-form'],
    middleware: dropEvents(({ data, chunk }) => data === undefined || isHeartbeat(chunk)),
  },
  {
    id: 'gateway/own-heartbeats',
    breaks: `nothing: the gateway sends a comment when a stream pauses for ${HEARTBEAT_MS} ms`,
    kills: ['gateway/heartbeats'],
    mayAffect: ['gateway/event-form', 'gateway/pace'],
    middleware: changeWrites(addHeartbeats),
  },
  {
    id: 'gateway/client-key-forwarded',
    breaks: 'nothing: the API key of the client reaches the upstream in a header',
    kills: ['gateway/request-headers'],
    middleware: changeRequestFields((headers) => ({
      ...headers,
      'x-client-authorization': headers['authorization'] ?? '',
    })),
  },
  {
    id: 'gateway/request-headers-dropped',
    breaks: 'nothing: only the header fields that the upstream needs are forwarded',
    kills: ['gateway/request-headers'],
    middleware: changeRequestFields((headers) =>
      selectFields(headers, 'host', 'authorization', 'content-type', 'content-length'),
    ),
  },
  {
    id: 'gateway/response-headers-dropped',
    breaks: 'nothing: only the media type and the length of a response are forwarded',
    kills: ['gateway/response-headers'],
    mayAffect: ['gateway/retry-after'],
    middleware: changeHead(({ headers }) => ({ headers: selectFields(headers, 'content-type', 'content-length') })),
  },
  {
    id: 'gateway/upstream-host-sent',
    breaks: 'nothing: the upstream gets its own host name, so the URL of an image points to the upstream',
    kills: ['gateway/image-url'],
    mayAffect: ['gateway/upstream-address'],
    middleware: changeRequestFields((headers) => omitFields(headers, 'host')),
  },
  {
    id: 'gateway/image-urls-unresolved',
    breaks: 'nothing: the URL of an image has a path that the gateway does not serve',
    kills: ['gateway/image-url'],
    middleware: changeImageUrls((url) => new URL(`/media${url.pathname}`, url)),
  },
  {
    id: 'gateway/image-urls-elsewhere',
    breaks: 'nothing: the URL of an image points to another host',
    kills: ['gateway/image-url'],
    middleware: changeImageUrls((url) => new URL(url.pathname, 'http://images.invalid')),
  },
]

/** Repeats a request after a 429, a 5xx, or a lost response, at most `MAX_RETRIES` times. */
async function retry(request: GatewayRequest, forward: Forward, retries = 0): Promise<GatewayResponse> {
  const response = await forward(request).catch((error: unknown) => {
    if (retries === MAX_RETRIES || request.signal.aborted) throw error
    return undefined
  })
  if (response !== undefined && (retries === MAX_RETRIES || (response.status !== 429 && response.status < 500))) {
    return response
  }
  if (response !== undefined) await readBody(response.body)
  return await retry(request, forward, retries + 1)
}

function coolDown(): Middleware {
  let endsAt = 0
  const start = () => (endsAt = performance.now() + COOL_DOWN_MS)
  return async (request, forward) => {
    if (performance.now() < endsAt) return createErrorResponse(503, 'The upstream failed. Try again later.')
    try {
      const response = await forward(request)
      if (response.status >= 500) start()
      return response
    } catch (error) {
      if (!request.signal.aborted) start()
      throw error
    }
  }
}

/** Drops lines of a stream. An event that has no other line is dropped as a whole. */
function dropLines(matches: RegExp): Middleware {
  return changeEvents(() => ({ raw }) => {
    const lines = raw.toString('latin1').split(/(?<=\r\n|\n|\r(?!\n))/)
    const kept = lines.filter((line) => !matches.test(line.replace(/[\r\n]+$/, '')))
    if (kept.length === lines.length) return [raw]
    return kept.every((line) => /^[\r\n]*$/.test(line)) ? [] : [Buffer.from(kept.join(''), 'latin1')]
  })
}

function dropUnknownFields(chunk: Completion): void {
  const known = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error'])
  for (const name of Object.keys(chunk)) if (!known.has(name)) Reflect.deleteProperty(chunk, name)
}

function dropReasoning({ choices }: Completion): void {
  for (const { delta, message } of choices ?? []) {
    for (const part of [delta, message]) {
      delete part?.reasoning_content
      delete part?.reasoning
    }
  }
}

function isHeartbeat(chunk: Completion | undefined): boolean {
  const { choices, usage, error } = chunk ?? {}
  if (choices === undefined || isPresent(usage) || isPresent(error)) return false
  return choices.every(
    ({ delta, finish_reason: reason }) => !isPresent(reason) && Object.keys(delta ?? {}).length === 0,
  )
}

async function* addHeartbeats(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const writes = body[Symbol.asyncIterator]()
  let isBetweenEvents = true
  try {
    for (;;) {
      const next = writes.next()
      while (isBetweenEvents && (await Promise.race([next.then(() => true), sleep(HEARTBEAT_MS, false)])) === false) {
        yield Buffer.from(': waiting\n\n')
      }
      const { done, value } = await next
      if (done === true) return
      isBetweenEvents = /(?:\n\n|\r\r|\r\n\r\n)$/.test(value.toString('latin1'))
      yield value
    }
  } finally {
    await writes.return?.()
  }
}

function changeRequestFields(change: (headers: GatewayRequest['headers']) => GatewayRequest['headers']): Middleware {
  return (request, forward) => forward({ ...request, headers: change(request.headers) })
}

function changeImageUrls(change: (url: URL) => URL): Middleware {
  return changeBodies(
    ({ target }, { status }) => target.startsWith('/v1/images/') && status === 200,
    (bytes) =>
      bytes
        .toString()
        .replaceAll(/("url": ?")(https?:[^"]+)/g, (_field, start, url) => `${start}${change(new URL(url)).href}`),
  )
}
