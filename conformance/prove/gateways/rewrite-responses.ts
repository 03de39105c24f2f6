import { randomBytes } from 'node:crypto'
import { type Completion, isPresent, parseCompletion, parseObject } from './completion.ts'
import {
  bufferRequest,
  createCutBody,
  createErrorResponse,
  createJsonResponse,
  type GatewayRequest,
  type GatewayResponse,
  isChat,
  isEventStream,
  type Middleware,
  omitFields,
  readBody,
  replaceBody,
  selectFields,
} from './gateway-message.ts'
import { rewriteStream, selectMessage, selectUsage } from './rewrite-stream.ts'

/**
 * Creates the style `events`: the gateway parses each response and writes it anew. It drops the header fields of the
 * upstream and unknown fields of chats, maps each 5xx to 502, and rewrites the URLs of images to itself.
 */
export function createResponseRewriter(): Middleware {
  return async (request, forward) => {
    const { request: buffered, bytes } = isChat(request)
      ? await bufferRequest(request)
      : { request, bytes: Buffer.of() }
    // Without the field, the upstream gets its own host, and writes it into the URLs of images.
    const headers = omitFields(buffered.headers, 'host', 'accept-encoding')
    const response = await forward({ ...buffered, headers })
    if (response.status >= 400) return await rewriteError(response)
    if (isChat(request)) return await rewriteChat(response, bytes)
    if (isJson(response)) return await rewriteJson(response, request)
    return { ...response, headers: selectFields(response.headers, 'content-type', 'content-length') }
  }
}

function isJson({ headers }: GatewayResponse): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '')
}

async function rewriteError(response: GatewayResponse): Promise<GatewayResponse> {
  await readBody(response.body)
  return response.status >= 500
    ? createErrorResponse(502, 'The upstream failed.')
    : createErrorResponse(response.status, `The upstream rejected the request with status ${response.status}.`)
}

async function rewriteChat(response: GatewayResponse, requestBody: Buffer): Promise<GatewayResponse> {
  const head = { id: `chatcmpl-${randomBytes(12).toString('hex')}`, created: Math.floor(Date.now() / 1000) }
  if (isEventStream(response)) {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
    const body = rewriteStream(response.body, { ...head, asksForUsage: asksForUsage(requestBody) })
    return { status: 200, headers, body }
  }
  const { bytes, isCut } = await readBody(response.body)
  const completion = isCut ? undefined : parseCompletion(bytes.toString())
  if (completion?.choices === undefined) return createErrorResponse(502, 'The upstream sent an invalid response.')
  return createJsonResponse(200, { ...head, ...selectCompletion(completion) })
}

function asksForUsage(requestBody: Buffer): boolean {
  const { stream_options: options } = parseObject(requestBody.toString()) ?? {}
  return Object(options).include_usage === true
}

function selectCompletion({ model, choices = [], usage }: Completion): object {
  return {
    object: 'chat.completion',
    model,
    choices: choices.map(({ index, message = {}, finish_reason: reason, logprobs }) => ({
      index,
      message: selectMessage(message),
      finish_reason: reason,
      ...(isPresent(logprobs) && { logprobs }),
    })),
    ...(isPresent(usage) && { usage: selectUsage(usage) }),
  }
}

async function rewriteJson(response: GatewayResponse, { headers }: GatewayRequest): Promise<GatewayResponse> {
  const { bytes, isCut } = await readBody(response.body)
  const fields = selectFields(response.headers, 'content-type', 'content-length')
  if (isCut) return { status: response.status, headers: fields, body: createCutBody(bytes) }
  const text = bytes.toString().replaceAll(/("url": ?")https?:\/\/[^/"]+/g, `$1http://${headers['host']}`)
  return replaceBody({ ...response, headers: fields }, text)
}
