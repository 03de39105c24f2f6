import type { Exchange } from '../http/exchange.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'
import type { FormFields } from '../requests/api-request.ts'
import type { RequestKind } from '../requests/classify-request.ts'
import { SUSPECT_MS } from './policy.ts'

export interface RequestInFlight {
  /** ID of the check, or name of the step. */
  readonly source: string
  readonly method: string
  readonly path: string
  readonly operation: TimedOperation | undefined
  readonly kind: RequestKind
  readonly hasFundedKey: boolean
  readonly form?: FormFields | undefined
}

/** Result of a request without its response, which may be large. */
interface EndedExchange extends Pick<Exchange, 'request' | 'status'> {
  readonly error: Exchange['error']
  readonly wasAborted: boolean | undefined
}

/** A request, with its exchange and the time of its end if it has ended. */
interface SentRequest {
  readonly request: RequestInFlight
  ended?: { readonly exchange: EndedExchange; readonly atMs: number }
}

/** A request that may have stopped the target. */
export interface Suspect extends SentRequest {
  /** `aborted` means that the suite closed the connection before the response was complete. */
  readonly state: 'aborted' | 'in-flight' | 'completed'
}

const ORDER: readonly Suspect['state'][] = ['aborted', 'in-flight', 'completed']

/**
 * Lists the requests that may have stopped the target: those in flight when the target stopped responding, and those
 * that ended within the last second. A service may crash after it has responded, and other responses may arrive between
 * the crash and the first refused connection.
 */
export class CrashSuspects {
  readonly #nowMs: () => number
  #sent: SentRequest[] = []
  #suspects: readonly { readonly sent: SentRequest; readonly isCompleted: boolean }[] = []

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  begin(request: RequestInFlight): void {
    this.#forgetEarlier()
    this.#sent.push({ request })
  }

  end(inFlight: RequestInFlight, { request, status, error, wasAborted }: Exchange): void {
    const sent = this.#sent.find((one) => one.request === inFlight)
    if (sent !== undefined) sent.ended = { exchange: { request, status, error, wasAborted }, atMs: this.#nowMs() }
  }

  /** Suspects the current requests instead of earlier ones. */
  suspectCurrent(): void {
    this.#forgetEarlier()
    this.#suspects = this.#sent.map((sent) => ({ sent, isCompleted: (sent.ended?.exchange.status ?? 0) > 0 }))
  }

  /** Lists the suspects: first aborted requests, then those in flight, then completed ones. The latest come first. */
  list(): readonly Suspect[] {
    const suspects = this.#suspects
      // A request whose connection was refused never reached the service, so it is no suspect.
      .filter(({ sent: { ended } }) => ended?.exchange.error?.kind !== 'refused')
      .map(({ sent, isCompleted }): Suspect => {
        const wasAborted = sent.ended?.exchange.wasAborted === true
        return { ...sent, state: wasAborted ? 'aborted' : isCompleted ? 'completed' : 'in-flight' }
      })
      .toReversed()
    return ORDER.flatMap((state) => suspects.filter((one) => one.state === state))
  }

  #forgetEarlier(): void {
    const sinceMs = this.#nowMs() - SUSPECT_MS
    this.#sent = this.#sent.filter(({ ended }) => ended === undefined || ended.atMs >= sinceMs)
  }
}
