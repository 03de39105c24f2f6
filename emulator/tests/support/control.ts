import type { Emulator } from '../../start-emulator.ts'

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
