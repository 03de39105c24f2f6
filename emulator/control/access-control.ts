import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { hash, timingSafeEqual } from 'node:crypto'

export interface OriginHeaders {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

export interface ControlApiAddress {
  /** Address on which the server listens. */
  readonly boundHost: string
  readonly publicUrl?: string | undefined
}

const WILDCARD_ADDRESSES = ['0.0.0.0', '::']

/**
 * Rejects requests to the control API from pages of other websites with 403, to prevent cross-site request forgery and
 * DNS rebinding. Such requests carry a foreign `Origin` or `Host` header. Clients outside a browser send no `Origin`
 * and are not affected.
 */
export function rejectForeignOrigins(server: FastifyInstance, address: ControlApiAddress): void {
  server.addHook('onRequest', async (request, reply) => {
    const problem = findOriginProblem(request.headers, address)
    return problem === undefined ? undefined : reply.code(403).send({ error: problem })
  })
}

/**
 * Checks the `Host` and `Origin` headers of a request.
 * @returns a sentence that names the foreign host or origin, or undefined if both are allowed
 */
export function findOriginProblem({ host, origin }: OriginHeaders, address: ControlApiAddress): string | undefined {
  // Browsers always send Host. Raw clients may omit it.
  if (host !== undefined && !isOwnHost(extractHostName(host), address)) {
    return `The Host header ${host.slice(0, 100)} does not name this emulator. Use its address, or localhost.`
  }
  if (origin === undefined || isOwnOrigin(origin, host, address.publicUrl)) return undefined
  return `Pages of ${origin.slice(0, 100)} may not control this emulator. Only the page at /__emulator/ may control it.`
}

function isOwnHost(name: string, { boundHost, publicUrl }: ControlApiAddress): boolean {
  if (name === '') return false
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  if (isIP(name) === 4 && name.startsWith('127.')) return true
  if (name === boundHost.toLowerCase() || name === extractHostName(URL.parse(publicUrl ?? '')?.host ?? '')) return true
  // Accepts IP addresses and single-label names on a server that listens on all interfaces, because containers call it
  // by such names. An attacker cannot register either as a domain.
  return WILDCARD_ADDRESSES.includes(boundHost) && (isIP(name) !== 0 || /^[a-z\d_-]+$/.test(name))
}

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  const parsed = URL.parse(origin)
  if (parsed === null) return false
  return parsed.host === host?.toLowerCase() || parsed.origin === URL.parse(publicUrl ?? '')?.origin
}

/** Extracts the host name in lower case, without the port and without the brackets of an IPv6 address. */
function extractHostName(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? []
  return bracketed ?? plain ?? ''
}

export const CONTROL_TOKEN_HEADER = 'x-touchstone-token'

/** Routes that need no token: the console page, which contains no data, and the health check of containers. */
const ROUTES_WITHOUT_TOKEN: readonly unknown[] = ['', '/', '/health'].map((path) => `/__emulator${path}`)

export type TokenValidator = (headers: Readonly<Record<string, string | readonly string[] | undefined>>) => boolean

/** Creates a check for the given token. The check accepts every request if `token` is undefined. */
export function createTokenValidator(token: string | undefined): TokenValidator {
  if (token === undefined) return () => true
  // Digests have a fixed length, so the comparison takes the same time for every input.
  const digestOf = (text: string) => hash('sha256', text, 'buffer')
  const expected = digestOf(token)
  return ({ [CONTROL_TOKEN_HEADER]: given }) => typeof given === 'string' && timingSafeEqual(digestOf(given), expected)
}

/** Rejects requests to the control API without a valid token with 401, except those to ROUTES_WITHOUT_TOKEN. */
export function requireControlToken(server: FastifyInstance, hasToken: TokenValidator): void {
  server.addHook('onRequest', async ({ headers, routeOptions }, reply) => {
    if (hasToken(headers) || ROUTES_WITHOUT_TOKEN.includes(routeOptions.url)) return undefined
    const error = `This emulator requires a control token. Send it in the header ${CONTROL_TOKEN_HEADER}, or open its page as /__emulator/#token=<token>.`
    return reply.code(401).send({ error })
  })
}
