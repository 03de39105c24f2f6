import { type Completion, parseCompletion, parseObject } from './completion.ts'
import {
  bufferRequest,
  createBody,
  createCutBody,
  type Forward,
  type GatewayRequest,
  type GatewayResponse,
  isChat,
  isEventStream,
  type Middleware,
  omitFields,
  readBody,
  replaceBody,
} from './gateway-message.ts'

/** Parameters of a request, which a change may modify. */
export interface Parameters {
  [name: string]: unknown
  messages?: RequestMessage[]
}

export interface RequestMessage {
  [name: string]: unknown
  role: string
  content?: unknown
}

/** One event of a stream, as the upstream sent it, with its empty line. The last one may be incomplete. */
export interface StreamEvent {
  readonly raw: Buffer
  readonly data: string | undefined
  readonly chunk: Completion | undefined
}

/** Matches the data of an event. U+2028 is part of the data, although `$` and `.` treat it as a line end. */
const DATA_LINE = /(^|[\r\n])data: ?([^\r\n]*)/

/** Applies several changes. The first one sees the request first, and the response last. */
export function chain(...changes: readonly Middleware[]): Middleware {
  return (request, forward) =>
    changes.reduceRight<Forward>((next, change) => (changed) => change(changed, next), forward)(request)
}

/** Changes the JSON body of each request. A body that `change` leaves alone is forwarded byte by byte. */
export function changeParameters(change: (parameters: Parameters, request: GatewayRequest) => void): Middleware {
  return async (incoming, forward) => {
    if (!isJsonRequest(incoming)) return await forward(incoming)
    const { request, bytes } = await bufferRequest(incoming)
    const parameters = parseObject(bytes.toString()) as Parameters | undefined
    const before = JSON.stringify(parameters)
    if (parameters !== undefined) change(parameters, request)
    const after = JSON.stringify(parameters)
    return await forward(after === undefined || after === before ? request : replaceBody(request, after))
  }
}

export function isJsonRequest({ headers }: GatewayRequest): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '')
}

/** Changes the multipart body of each request, as Latin-1 text, which has one character for each byte. */
export function changeForm(change: (form: string) => string | Buffer): Middleware {
  return async (incoming, forward) => {
    if (!/^multipart\/form-data\b/i.test(incoming.headers['content-type'] ?? '')) return await forward(incoming)
    const { request, bytes } = await bufferRequest(incoming)
    const changed = change(bytes.toString('latin1'))
    return await forward(replaceBody(request, typeof changed === 'string' ? Buffer.from(changed, 'latin1') : changed))
  }
}

export function changeHead(change: (response: GatewayResponse) => Partial<GatewayResponse>): Middleware {
  return async (request, forward) => {
    const response = await forward(request)
    return { ...response, ...change(response) }
  }
}

export function changeWrites(change: (body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>): Middleware {
  return async (request, forward) => {
    const response = await forward(request)
    return isChat(request) && isEventStream(response)
      ? { ...response, ...changeStreamBody(response, change) }
      : response
  }
}

function changeStreamBody(
  { headers, body }: GatewayResponse,
  change: (body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
): Pick<GatewayResponse, 'headers' | 'body'> {
  return { headers: omitFields(headers, 'content-length'), body: change(body) }
}

/** Changes the events of each stream of a chat. `createChange` is called once for each stream. */
export function changeEvents(createChange: () => (event: StreamEvent) => readonly (Buffer | string)[]): Middleware {
  return changeWrites(async function* changeEach(body) {
    const change = createChange()
    for await (const event of readEvents(body)) for (const part of change(event)) yield Buffer.from(part)
  })
}

export function dropEvents(matches: (event: StreamEvent) => boolean): Middleware {
  return changeEvents(() => (event) => (matches(event) ? [] : [event.raw]))
}

/** Changes the chunks of each stream of a chat. `createChange` is called once for each stream. */
export function changeChunks(createChange: () => (chunk: Completion) => void): Middleware {
  return changeEvents(() => {
    const change = createChange()
    return (event) => {
      if (event.chunk === undefined) return [event.raw]
      const before = JSON.stringify(event.chunk)
      change(event.chunk)
      return JSON.stringify(event.chunk) === before ? [event.raw] : [replaceData(event, JSON.stringify(event.chunk))]
    }
  })
}

/** Replaces the data of an event. Its other lines stay. */
export function replaceData({ raw }: StreamEvent, data: string): Buffer {
  return Buffer.from(raw.toString().replace(DATA_LINE, (_line, before: string) => `${before}data: ${data}`))
}

/** Reads the events of a stream. If the stream was cut, throws after the incomplete event. */
export async function* readEvents(body: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
  let rest = ''
  try {
    for await (const bytes of body) {
      rest += bytes.toString('latin1')
      let end = /\r\n\r\n|\n\n|\r\r/.exec(rest)
      while (end !== null) {
        const length = end.index + end[0].length
        yield parseEvent(rest.slice(0, length))
        rest = rest.slice(length)
        end = /\r\n\r\n|\n\n|\r\r/.exec(rest)
      }
    }
  } catch (error) {
    if (rest !== '') yield { raw: Buffer.from(rest, 'latin1'), data: undefined, chunk: undefined }
    throw error
  }
  if (rest !== '') yield { raw: Buffer.from(rest, 'latin1'), data: undefined, chunk: undefined }
}

function parseEvent(latin1: string): StreamEvent {
  const raw = Buffer.from(latin1, 'latin1')
  const data = DATA_LINE.exec(raw.toString())?.[2]
  return { raw, data, chunk: data === undefined ? undefined : parseCompletion(data) }
}

/** Changes the bytes of each whole response that `matches` selects and that was not cut. */
export function changeBodies(
  matches: (request: GatewayRequest, response: GatewayResponse) => boolean,
  change: (bytes: Buffer) => Buffer | string,
): Middleware {
  return async (request, forward) => {
    const response = await forward(request)
    if (!matches(request, response)) return response
    const { bytes, isCut } = await readBody(response.body)
    if (isCut) return { ...response, body: createCutBody(bytes) }
    const changed = Buffer.from(change(bytes))
    return changed.equals(bytes) ? { ...response, body: createBody(bytes) } : replaceBody(response, changed)
  }
}

export function isCompletion(request: GatewayRequest, response: GatewayResponse): boolean {
  return isChat(request) && response.status === 200 && !isEventStream(response)
}

export function changeCompletions(change: (completion: Completion) => void): Middleware {
  return changeBodies(isCompletion, (bytes) => {
    const completion = parseCompletion(bytes.toString())
    const before = JSON.stringify(completion)
    if (completion !== undefined) change(completion)
    const after = JSON.stringify(completion)
    return after === undefined || after === before ? bytes : after
  })
}
