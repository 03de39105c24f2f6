import type { Emulator } from '../../start-emulator.ts'

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
