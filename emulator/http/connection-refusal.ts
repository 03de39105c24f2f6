import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { logProblem } from '../core/events.ts'

/** Interval at which the server tries to listen again while another process uses its port. */
const RETRY_MS = 100

/**
 * Makes the port of a server refuse new connections for a time: closes the listening socket, and opens it again on the
 * same port. Measures real time, because the control API, which advances a virtual clock, uses the same port.
 */
export class ConnectionRefusal {
  readonly #server: Server
  readonly #closeIdle: () => () => void
  #address: AddressInfo | undefined
  #stopClosingIdle: () => void = () => undefined
  #timer: NodeJS.Timeout | undefined
  #endsAtMs = 0
  #isCancelled = false
  /** True if the log already names the conflict that delays the end of this refusal. */
  #hasLoggedConflict = false

  /**
   * Creates the refusal of a server.
   * @param closeIdle closes idle connections until the returned function is called
   */
  constructor(server: Server, closeIdle: () => () => void) {
    this.#server = server
    this.#closeIdle = closeIdle
  }

  /** Returns true while the port refuses connections. */
  isActive(): boolean {
    return this.#address !== undefined
  }

  /** Refuses new connections for `ms` milliseconds, or for longer if an earlier refusal lasts longer. */
  refuseConnections(ms: number): void {
    if (this.#isCancelled) return
    const endsAtMs = performance.now() + ms
    if (this.#address === undefined) {
      this.#address = this.#server.address() as AddressInfo // The address is a string only for a listener on a pipe.
      this.#endsAtMs = 0
      this.#hasLoggedConflict = false
      this.#server.close()
      this.#stopClosingIdle = this.#closeIdle()
    }
    if (endsAtMs <= this.#endsAtMs) return
    this.#endsAtMs = endsAtMs
    this.#listenAfter(ms)
  }

  /** Ends the refusal without listening again, and starts no further refusal, because the server closes. */
  cancel(): void {
    this.#isCancelled = true
    clearTimeout(this.#timer)
    this.#end()
  }

  #listenAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#listen(), ms)
  }

  #listen(): void {
    if (this.#address === undefined) return
    const { address: host, port } = this.#address
    const onListening = () => {
      this.#server.off('error', onError)
      this.#end()
    }
    const onError = ({ code }: NodeJS.ErrnoException) => {
      this.#server.off('listening', onListening)
      if (!this.#hasLoggedConflict) logProblem(`cannot listen again on port ${port} (${code})`)
      this.#hasLoggedConflict = true
      this.#listenAfter(RETRY_MS)
    }
    this.#server.once('listening', onListening).once('error', onError).listen({ host, port })
  }

  #end(): void {
    this.#address = undefined
    this.#stopClosingIdle()
  }
}
