import type { Emulator } from '../../start-emulator.ts'
import { connect } from 'node:net'

export interface TestRequestOptions {
  readonly key?: string
  readonly signal?: AbortSignal
}

/** Sends a POST request with a JSON body. The default key belongs to the account `funded`. */
export function postJson(
  emulator: Emulator,
  path: string,
  body: unknown,
  options: TestRequestOptions = {},
): Promise<Response> {
  return fetch(emulator.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key ?? emulator.keys.funded}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

/**
 * Sends a small chat request.
 * @param fields additional fields of the body
 */
export function sendChat(emulator: Emulator, fields: object = {}, options: TestRequestOptions = {}): Promise<Response> {
  const body = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Say hello.' }], ...fields }
  return postJson(emulator, '/v1/chat/completions', body, options)
}

export function transcribe(
  emulator: Emulator,
  file: Uint8Array<ArrayBuffer>,
  options: TestRequestOptions = {},
): Promise<Response> {
  const form = new FormData()
  form.set('model', 'vendora-v4-flash')
  form.set('file', new Blob([file]), 'speech.mp3')
  return fetch(`${emulator.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key ?? emulator.keys.funded}` },
    body: form,
  })
}

/** Parses the chunks of a chat stream. Ignores `[DONE]`. */
export function parseChunks(
  text: string,
): { choices: { delta: { content?: string }; finish_reason: string | null }[]; usage?: object }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)))
}

/**
 * Sends a request to the control API. The default method is POST if there is a body, otherwise GET.
 * @returns status, header fields and text of the response; `json` is undefined if the body is not JSON
 */
export async function callControl(
  emulator: Pick<Emulator, 'url'>,
  path: string,
  init: { method?: string; body?: unknown } = {},
) {
  const { method = init.body === undefined ? 'GET' : 'POST', body } = init
  const response = await fetch(`${emulator.url}/__emulator${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
}

/** A response that a test reads from a raw socket. Status 0 means that the connection closed without a response. */
export interface RawResponse {
  readonly status: number
  readonly head: string
  readonly body: string
}

const TIMEOUT_MS = 10_000

/**
 * Sends raw bytes, and reads until the emulator closes the connection. Rejects after TIMEOUT_MS.
 * @param options.keepOpen keeps the sending side open. Otherwise, it closes after the bytes, and Node drops requests that
 * still wait for earlier responses
 */
export function sendRawRequest(
  emulator: Emulator,
  request: string | Uint8Array,
  { keepOpen = false } = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(emulator.port, '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => resolve(parse(Buffer.concat(chunks).toString('latin1')))
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy()
      reject(new Error(`no response to ${JSON.stringify(String(request).slice(0, 200))}`))
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', finish) // A reset after the response is not an error.
    socket.on('close', finish)
    if (keepOpen) socket.write(request)
    else socket.end(request)
  })
}

function parse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n')
  const head = end === -1 ? text : text.slice(0, end)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    head,
    body: end === -1 ? '' : text.slice(end + 4),
  }
}
