import type { Emulator } from '../../start-emulator.ts'
import { connect } from 'node:net'

/** Options of a request other than its body. */
export interface CallOptions {
  readonly key?: string
  readonly signal?: AbortSignal
}

/** Posts JSON to an operation; the default key is that of the account `funded`. */
export function post(emulator: Emulator, path: string, body: unknown, options: CallOptions = {}): Promise<Response> {
  return fetch(emulator.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key ?? emulator.keys.funded}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

/** Sends a small chat request with additional fields. */
export function chat(emulator: Emulator, fields: object = {}, options: CallOptions = {}): Promise<Response> {
  const body = { model: 'vendora-v4-flash', messages: [{ role: 'user', content: 'Say hello.' }], ...fields }
  return post(emulator, '/v1/chat/completions', body, options)
}

/** Posts a form to the transcription operation. */
export function transcribe(
  emulator: Emulator,
  file: Uint8Array<ArrayBuffer>,
  options: CallOptions = {},
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

/** Parses the data lines of a stream, without `[DONE]`. */
export function parseChunks(
  text: string,
): { choices: { delta: { content?: string }; finish_reason: string | null }[]; usage?: object }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)))
}

/**
 * Calls the control API.
 * @returns status, text and, if it is JSON, the value
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

/** A response read from the socket. Status 0 means that the connection ended without one. */
export interface RawResponse {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Timeout in milliseconds, so that a hang fails with a message. */
const TIMEOUT_MS = 10_000

/**
 * Sends bytes unchanged, ends its side of the connection, and reads until the emulator closes. Rejects after a timeout.
 */
export function sendRaw(emulator: Emulator, request: string | Uint8Array): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(emulator.port, '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => resolve(parse(Buffer.concat(chunks).toString('latin1')))
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy()
      reject(new Error(`no response to ${JSON.stringify(String(request).slice(0, 200))}`))
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', finish) // A reset after the response does not matter.
    socket.on('close', finish)
    socket.end(request)
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
