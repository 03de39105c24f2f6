import type { Emulator } from '../../start-emulator.ts'
import { connect } from 'node:net'

/** What a test says of a request beside its body. */
export interface CallOptions {
  readonly key?: string
  readonly signal?: AbortSignal
}

/** Posts JSON to an operation, with the funded key unless another is given. */
export function post(emulator: Emulator, path: string, body: unknown, options: CallOptions = {}): Promise<Response> {
  return fetch(emulator.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key ?? emulator.keys.funded}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

/** A small chat request with `fields` on top. */
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

/** The data lines of a stream, `[DONE]` left out, as JSON. */
export function parseChunks(
  text: string,
): { choices: { delta: { content?: string }; finish_reason: string | null }[]; usage?: object }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)))
}

/** Calls the control interface. @returns status, text and, where it is JSON, the value */
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

/** An answer read off the socket. Status 0: the connection ended without one. */
export interface RawResponse {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Longest wait for an answer in a test: a hang becomes a failure with a name. */
const TIMEOUT_MS = 10_000

/** Sends bytes as they are, ends its side, and reads until the emulator closes. Rejects when nothing happens for long. */
export function sendRaw(emulator: Emulator, request: string | Uint8Array): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(emulator.port, '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => resolve(parse(Buffer.concat(chunks).toString('latin1')))
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy()
      reject(new Error(`no answer to ${JSON.stringify(String(request).slice(0, 200))}`))
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', finish) // a reset after the answer is no loss
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
