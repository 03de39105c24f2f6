import type { Exchange } from '../exchange.ts'
import { jsonRequest, listRequest, type RequestBasis } from '../requests/build-request.ts'
import { whyEnded } from './interruption.ts'
import { modelsByPrice } from './prices.ts'
import { sendFor } from './send.ts'
import { createRecorder, type Session } from './session.ts'

/** What two requests at the start of a run showed. */
export interface Preflight {
  /** The list of models, if it was asked for. */
  readonly listed: Exchange
  /** Why no check can say anything about the target; undefined when the run can go on. */
  readonly problem?: string
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
    return withProblem(listed, problemOf(session, [listed]))
  }
  const [listed, chat] = await Promise.all([
    list,
    sendFor(session, { spec: jsonRequest('chat', basis, {}, {}), recorder }),
  ])
  return withProblem(listed, problemOf(session, [listed, chat]) ?? keyProblemOf(listed, chat) ?? recorder.obstacle)
}

function withProblem(listed: Exchange, problem: string | undefined): Preflight {
  return problem === undefined ? { listed } : { listed, problem }
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
