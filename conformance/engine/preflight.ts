import type { Exchange } from '../http/exchange.ts'
import { jsonRequest, listRequest, type RequestBasis } from '../requests/build-request.ts'
import { whyEnded } from './time-limit.ts'
import { modelsByPrice } from './prices.ts'
import { sendFor } from './send.ts'
import { createRecorder, type Session } from './session.ts'

/** What two requests at the start of a run showed. */
export interface Preflight {
  /** The list of models, if it was asked for. */
  readonly listed: Exchange
  /** Why no check can say anything about the target; undefined when the run can go on. */
  readonly problem?: string
  /** A question that the answers raise, where they look like those of another service than the one meant. */
  readonly doubt?: string
}

/**
 * Asks for the models and a small chat, to tell a target that is not there, or a key that is not good, from one that
 * breaks the contract. Without a key only whether something answers is seen.
 */
export async function preflight(session: Session): Promise<Preflight> {
  const recorder = createRecorder(session.settings, 'preflight')
  const key = session.settings.target.keys.funded
  const basis: RequestBasis = { model: modelsByPrice()[0] ?? '', key, tag: recorder.tag }
  const list = sendFor(session, { spec: listRequest(basis, {}), recorder })
  if (key === undefined) {
    const listed = await list
    return preflightOf(listed, problemOf(session, [listed]), doubtOf(listed, undefined))
  }
  const [listed, chat] = await Promise.all([
    list,
    sendFor(session, { spec: jsonRequest('chat', basis, {}, {}), recorder }),
  ])
  const problem = problemOf(session, [listed, chat]) ?? keyProblemOf(listed, chat) ?? recorder.obstacle
  return preflightOf(listed, problem, doubtOf(listed, chat))
}

function preflightOf(listed: Exchange, problem: string | undefined, doubt: string | undefined): Preflight {
  if (problem !== undefined) return { listed, problem }
  return doubt === undefined ? { listed } : { listed, doubt }
}

/** What servers say of a path, or of a POST to it, that they do not know. */
const UNKNOWN_PLACE: readonly number[] = [404, 405, 501]

/** It leaves the verdict alone: what answers like this contradicts the document, whichever service it is. */
function doubtOf(listed: Exchange, chat: Exchange | undefined): string | undefined {
  if (listed.status === 200 && /^text\/html\b/i.test(listed.headers['content-type'] ?? '')) {
    return 'GET /v1/models answered text/html: is this the API?'
  }
  if (listed.status !== 404) return undefined
  if (chat === undefined) return 'GET /v1/models answered 404: is the base address right?'
  if (!UNKNOWN_PLACE.includes(chat.status)) return undefined
  return chat.status === 404
    ? 'Both models and chat answered 404: is the base address right?'
    : `GET /v1/models answered 404, and chat ${chat.status}: is the base address right?`
}

function keyProblemOf(listed: Exchange, chat: Exchange): string | undefined {
  if (listed.status === 401 && chat.status === 401) {
    return 'The target refused the key of --key (401 on models and on chat): give a key that is valid there.'
  }
  if (chat.status === 402) {
    return 'The account of --key has too few credits (402 on a small chat): give a key with credits.'
  }
  return undefined
}

/** One exchange with a status means that something is there to be judged. */
function problemOf(session: Session, exchanges: readonly Exchange[]): string | undefined {
  const error = exchanges[0]?.error
  if (error === undefined || exchanges.some((exchange) => exchange.status !== 0)) {
    return undefined
  }
  const { url } = session.settings.target
  switch (error.kind) {
    case 'interrupted':
      return whyEnded(session.wire.signal)
    case 'budget':
      return error.message
    case 'refused':
    case 'dns':
    case 'timeout':
      return `Nothing answered at ${url} (${error.message}).\nIs the service running there? ${emulatorHint(url)}`
    case 'tls':
      return `No connection to ${url}: ${error.message}.\nIs the scheme right, http or https? A certificate of your own needs --ca FILE, or --insecure.`
    default:
      return `Something listens at ${url}, but it does not answer in HTTP (${error.message}).\nIs the scheme right, http or https?`
  }
}

function emulatorHint(url: string): string {
  const { hostname, port } = new URL(url)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const start = isHere && port !== '' ? `\`touchstone emulator --port ${port}\` starts the emulator. ` : ''
  return `${start}Without --target the suite uses its own emulator.`
}
