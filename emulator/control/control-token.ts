import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** Header field in which a control request brings the token, where one is set. */
export const TOKEN_HEADER = 'x-touchstone-token'

/** What is open to everybody: the page, which holds no data of its own, and the health that containers ask for. */
const OPEN_ROUTES: readonly unknown[] = ['', '/', '/health'].map((path) => `/__emulator${path}`)

/** Tells whether the header fields of a request open the control interface. */
export type TokenCheck = (headers: Readonly<Record<string, string | readonly string[] | undefined>>) => boolean

/** A lock that the token opens. Without a token it is always open. */
export function createTokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined) return () => true
  // Digests have one length whatever was sent, and are compared in constant time.
  const digestOf = (text: string) => hash('sha256', text, 'buffer')
  const expected = digestOf(token)
  return ({ [TOKEN_HEADER]: given }) => typeof given === 'string' && timingSafeEqual(digestOf(given), expected)
}

/** Refuses control requests without the token with 401. */
export function guardToken(server: FastifyInstance, lock: TokenCheck): void {
  server.addHook('onRequest', async ({ headers, routeOptions }, reply) => {
    if (lock(headers) || OPEN_ROUTES.includes(routeOptions.url)) return undefined
    const error = `This emulator was started with a control token: send it in the header ${TOKEN_HEADER}, or open its page as /__emulator/#token=<token>.`
    return reply.code(401).send({ error })
  })
}
