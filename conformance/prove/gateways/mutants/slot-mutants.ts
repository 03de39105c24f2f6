import { once } from 'node:events'
import { createErrorResponse, isChat } from '../gateway-message.ts'
import type { GatewayMutant } from '../gateway-mutant.ts'

/** Number of requests that a gateway with leaking slots can lose. */
const SLOTS = 8

/** Checks that cannot test a gateway which serves no more requests. */
const FAILURE_CHECKS = [
  'error-statuses',
  'error-bodies',
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

/** Slots that requests occupy for ever. */
export const SLOT_MUTANTS: readonly GatewayMutant[] = [
  {
    id: 'gateway/slots-leak',
    breaks: `each aborted request occupies one of ${SLOTS} slots, until a request finds none and gets a 429`,
    kills: ['gateway/slots'],
    createMiddleware: () => {
      let leaked = 0
      let open = 0
      return async (request, forward) => {
        if (leaked >= SLOTS) {
          if (open === 0) leaked = 0
          return createErrorResponse(429, 'The gateway has no free slot.')
        }
        request.signal.addEventListener('abort', () => (leaked += 1), { once: true })
        open += 1
        return await forward(request).finally(() => (open -= 1))
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

async function* callOnError(body: AsyncIterable<Buffer>, call: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    call()
    throw error
  }
}
