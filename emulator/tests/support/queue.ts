import { createEmulator, type InProcessEmulator, type InstanceOptions } from '../../create-emulator.ts'
import { createVirtualClock } from '../../state/clock.ts'
import { createFixedDelay, createLatencyProfile } from '../../state/latency.ts'

/** Duration of a request with 10 tokens, in milliseconds. */
export const SERVICE_MS = 100

export const LATENCY = createLatencyProfile(createFixedDelay(10), createFixedDelay(10), createFixedDelay(SERVICE_MS))

/** Waits until the emulator has handled everything that does not wait for the clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

export function setUpQueue(options: InstanceOptions = {}) {
  const clock = createVirtualClock()
  const emulator = createEmulator({
    clock,
    latency: LATENCY,
    answerTokens: 'fill',
    slots: 1,
    allowFaultHeader: true,
    ...options,
  })
  return { clock, emulator }
}

export interface SentRequest {
  readonly path?: string
  readonly key?: string
  readonly fields?: object
  readonly fault?: string
  readonly signal?: AbortSignal
}

/** Sends a request. Resolves when its response ends, with the status and the text of the response, or with status 0. */
export async function sendRequest(emulator: InProcessEmulator, request: SentRequest = {}) {
  const { path = '/chat/completions', key = emulator.keys.funded, fields = {}, fault, signal } = request
  const body = { model: 'o3-mini', max_tokens: 10, messages: [{ role: 'user', content: 'Go.' }], ...fields }
  const { baseURL } = emulator.clientOptions()
  try {
    const response = await emulator.fetch(baseURL + path, {
      ...(path === '/models' ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, ...(fault === undefined ? {} : { 'x-touchstone-fault': fault }) },
      ...(signal === undefined ? {} : { signal }),
    })
    const { status, headers } = response
    return { status, retryAfter: headers.get('retry-after'), text: await response.text() }
  } catch {
    return { status: 0, retryAfter: null, text: '' }
  }
}

/** Starts requests one after another, so that they enter the queue in this order. */
export async function startRequests(emulator: InProcessEmulator, requests: readonly SentRequest[]) {
  const responses: ReturnType<typeof sendRequest>[] = []
  for (const request of requests) {
    responses.push(sendRequest(emulator, request))
    await settle()
  }
  return responses
}

export const CONTRADICTORY_SCHEMA = {
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'x', schema: { type: 'integer', minimum: 5, maximum: 1 } },
  },
}

export const listWaits = (emulator: InProcessEmulator) => emulator.requests().map(({ queuedMs }) => queuedMs)
