import { once } from 'node:events'
import { bufferRequest, createErrorResponse, isChat } from '../gateway-message.ts'
import { PARALLEL_CHECKS } from '../parallel-checks.ts'
import type { GatewayFault } from '../gateway-mutant.ts'

/** Number of requests that a gateway with leaking slots can lose. */
const SLOTS = 8

/** Time after the last leak in which a gateway stays without slots, in milliseconds. */
const RESTART_MS = 2000

/** Checks that cannot test a gateway which serves no more requests. */
const FAILURE_CHECKS = [
  'error-statuses',
  'error-bodies',
  'error-messages',
  'lost-responses',
  'lost-streams',
  'error-event',
  'cut-not-cached',
  'status-map',
  'retries',
  'retry-after',
  'cool-down',
  'slots-after-failures',
  'isolation',
].map((name) => `gateway/${name}`)

export const SLOT_MUTANTS: readonly GatewayFault[] = [
  {
    id: 'gateway/slots-leak',
    breaks: `each aborted request occupies one of ${SLOTS} slots, until a request finds none and gets a 429`,
    kills: ['gateway/slots'],
    mayAffect: ['gateway/slots-after-rejections', 'gateway/isolation'],
    createMiddleware: () => {
      const slots = createSlots()
      return async (request, forward) => {
        if (!slots.enter()) return createErrorResponse(429, 'The gateway has no free slot.')
        request.signal.addEventListener('abort', slots.leak, { once: true })
        return await forward(request)
      }
    },
  },
  {
    id: 'gateway/abort-ends-all',
    breaks: 'if a client disconnects, the gateway aborts all requests to the upstream',
    kills: ['gateway/slots'],
    mayAffect: [
      'gateway/abort-stream',
      'gateway/abort-waiting',
      'gateway/other-fields',
      'gateway/heartbeats',
      ...PARALLEL_CHECKS,
    ],
    createMiddleware: () => {
      let all = new AbortController()
      return async (request, forward) => {
        request.signal.addEventListener('abort', () => {
          all.abort()
          all = new AbortController()
        })
        return await forward({ ...request, signal: AbortSignal.any([request.signal, all.signal]) })
      }
    },
  },
  {
    id: 'gateway/slots-leak-on-uploads',
    breaks: `each request that the client cuts occupies one of ${SLOTS} slots, until a request finds none and gets a 429`,
    kills: ['gateway/slots'],
    mayAffect: ['gateway/slots-after-rejections', 'gateway/isolation'],
    createMiddleware: () => {
      const slots = createSlots()
      return async (incoming, forward) => {
        if (!slots.enter()) return createErrorResponse(429, 'The gateway has no free slot.')
        const reading = bufferRequest(incoming)
        reading.catch(slots.leak)
        return await forward((await reading).request)
      }
    },
  },
  {
    id: 'gateway/slots-leak-on-errors',
    breaks: `each error of the upstream occupies one of ${SLOTS} slots, and without a free slot every request gets a 503`,
    kills: ['gateway/slots-after-rejections'],
    mayAffect: FAILURE_CHECKS,
    createMiddleware: () => {
      let leaked = 0
      return async (request, forward) => {
        if (leaked >= SLOTS) return createErrorResponse(503, 'The gateway has no free slot.')
        const response = await forward(request)
        if (response.status >= 400 && isChat(request)) leaked += 1
        return response
      }
    },
  },
  {
    id: 'gateway/slots-leak-on-losses',
    breaks: `each response that the upstream does not complete occupies one of ${2 * SLOTS} slots, and requests wait for a free one`,
    kills: ['gateway/slots-after-failures'],
    createMiddleware: () => {
      let leaked = 0
      return async (request, forward) => {
        if (leaked >= 2 * SLOTS) await once(request.signal, 'abort')
        const response = await forward(request).catch((error: unknown) => {
          if (!request.signal.aborted) leaked += 1
          throw error
        })
        const body = callOnError(response.body, () => {
          if (!request.signal.aborted) leaked += 1
        })
        return { ...response, body }
      }
    },
  },
]

/** Creates slots that leak. When all are lost, a request long after the last leak gets none, and frees them again. */
function createSlots() {
  let leaked = 0
  let leakedAtMs = 0
  return {
    enter(): boolean {
      if (leaked < SLOTS) return true
      if (performance.now() - leakedAtMs > RESTART_MS) leaked = 0
      return false
    },
    leak(): void {
      leaked += 1
      leakedAtMs = performance.now()
    },
  }
}

async function* callOnError(body: AsyncIterable<Buffer>, call: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    call()
    throw error
  }
}
