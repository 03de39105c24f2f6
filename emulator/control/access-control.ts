import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { hash, timingSafeEqual } from 'node:crypto'

/** What a request says of who sent it. */
export interface RequestOrigin {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

/** Where the emulator is meant to be reached. */
export interface ControlAddress {
  /** The address it listens on. */
  readonly boundHost: string
  /** The base address that it was told to give, if any. */
  readonly publicUrl?: string | undefined
}

const WILDCARDS = ['0.0.0.0', '::']

/**
 * Refuses control requests that a page of another site sends by the user's browser. Such a page is known by its Origin, or,
 * where it had its own name resolve to this machine (DNS rebinding), by the Host it asks for. Programs send no Origin and
 * a Host of this machine, and notice nothing.
 */
export function guardAccess(server: FastifyInstance, place: ControlAddress): void {
  server.addHook('onRequest', async (request, reply) => {
    const fault = findForeignOrigin(request.headers, place)
    return fault === undefined ? undefined : reply.code(403).send({ error: fault })
  })
}

/** @returns one sentence that says what is foreign, or undefined */
export function findForeignOrigin({ host, origin }: RequestOrigin, place: ControlAddress): string | undefined {
  // Browsers always send it; raw clients need not.
  if (host !== undefined && !isOwnHost(hostNameOf(host), place)) {
    return `The Host ${host.slice(0, 100)} is not this emulator's. Use its address, or a name of loopback such as localhost.`
  }
  if (origin === undefined || isOwnOrigin(origin, host, place.publicUrl)) return undefined
  return `Pages of ${origin.slice(0, 100)} may not control this emulator: only its own page at /__emulator/ may.`
}

function isOwnHost(name: string, { boundHost, publicUrl }: ControlAddress): boolean {
  if (name === '') return false
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  if (isIP(name) === 4 && name.startsWith('127.')) return true
  if (name === boundHost.toLowerCase() || name === hostNameOf(URL.parse(publicUrl ?? '')?.host ?? '')) return true
  // Bound to all addresses, it is meant to be reached from outside: by address, or by the name of a container. Neither is
  // a name that a stranger can register.
  return WILDCARDS.includes(boundHost) && (isIP(name) !== 0 || /^[a-z\d_-]+$/.test(name))
}

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  const parsed = URL.parse(origin)
  if (parsed === null) return false
  return parsed.host === host?.toLowerCase() || parsed.origin === URL.parse(publicUrl ?? '')?.origin
}

/** The name of a host without its port, in lower case, an IPv6 address without its brackets. */
function hostNameOf(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase()) ?? []
  return bracketed ?? plain ?? ''
}

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
