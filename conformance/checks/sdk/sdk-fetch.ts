import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { KeyChoice } from '../../requests/api-request.ts'

/** Fields that describe the body on the wire, and no longer the one that is handed on. */
const OF_THE_WIRE = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive'])

/** Statuses whose answers have no body (Fetch standard, section 2.2.6). */
const WITHOUT_BODY = new Set([204, 205, 304])

/**
 * A `fetch` for a client SDK that sends through the engine: with its limits, its deadlines and its evidence.
 * @param key the key that the SDK was given
 * @param keep receives each exchange, to compare it with what the SDK made of it
 */
export function fetchThrough({ send }: CheckContext, key: KeyChoice, keep: (exchange: Exchange) => void): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { protocol, pathname, search } = new URL(request.url)
    // The SDK asks for an empty data address first, to see what this fetch is: nothing of that goes to the target.
    if (protocol === 'data:') return fetch(request)
    const body = new Uint8Array(await request.arrayBuffer())
    const exchange = await send({
      method: request.method,
      path: pathname + search,
      key,
      headers: Object.fromEntries(request.headers),
      ...(request.method === 'GET' ? {} : { body }),
    })
    keep(exchange)
    return responseOf(exchange)
  }
}

/** @throws TypeError, as fetch does, where there is no answer to hand on */
function responseOf({ status, headers, body, error }: Exchange): Response {
  if (status < 200 || status > 599) throw new TypeError(error?.message ?? `status ${status}`)
  const fields = Object.entries(headers).filter(([name]) => !OF_THE_WIRE.has(name))
  const stream = WITHOUT_BODY.has(status) ? null : streamOf(body, error?.message)
  return new Response(stream, { status, headers: fields })
}

/** The body in one piece; one that broke off ends with an error, as fetch has it. */
function streamOf(body: Uint8Array, problem: string | undefined): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body)
      if (problem === undefined) controller.close()
      else controller.error(new TypeError(`terminated: ${problem}`))
    },
  })
}
