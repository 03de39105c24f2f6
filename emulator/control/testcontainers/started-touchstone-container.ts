import { createRequire } from 'node:module'
import type * as Testcontainers from 'testcontainers'
import type { StartedTestContainer } from 'testcontainers'
import { createRemoteHandle, type RemoteHandle } from './remote-emulator.ts'

// testcontainers is an optional peer dependency. If it is missing, loading this module fails with an error that
// explains how to install it. `require` loads it, because CommonJS cannot load a module with a top-level `await`.
const loaded = loadTestcontainers()
if (loaded === undefined) {
  throw new Error(
    'touchstone/testcontainers needs the package testcontainers: run npm install --save-dev testcontainers',
  )
}

export const testcontainers: typeof Testcontainers = loaded

/** Port of the emulator inside its container. Other containers in the same network connect to it. */
export const EMULATOR_PORT = 8080

/** A running emulator container. Has the methods of an in-process emulator, each returning a promise. */
export class StartedTouchstoneContainer extends testcontainers.AbstractStartedContainer implements RemoteHandle {
  readonly #controlToken: string | undefined
  readonly #remote = createRemoteHandle(() => ({ url: this.controlUrl, token: this.#controlToken }))
  readonly keys: RemoteHandle['keys'] = this.#remote.keys
  readonly faults: RemoteHandle['faults'] = this.#remote.faults
  readonly fixtures: RemoteHandle['fixtures'] = this.#remote.fixtures
  /**
   * Creates an account. Generates a key if none is given.
   * @throws Error if the credits, the key or the rate limit are invalid
   */
  readonly createAccount: RemoteHandle['createAccount'] = this.#remote.createAccount
  /**
   * Returns the balance of a standard account, or of an account that this handle created, in units of 0.0001 credit.
   * Resolves to undefined for other keys.
   */
  readonly balance: RemoteHandle['balance'] = this.#remote.balance
  /**
   * Adds credits to a standard account, or to an account that this handle created.
   * @throws Error if the key is unknown or the amount is invalid
   */
  readonly addCredits: RemoteHandle['addCredits'] = this.#remote.addCredits
  /**
   * Sets the available credits of a standard account, or of an account that this handle created.
   * @throws Error if the key is unknown or the amount is invalid
   */
  readonly setCredits: RemoteHandle['setCredits'] = this.#remote.setCredits
  readonly requests: RemoteHandle['requests'] = this.#remote.requests
  readonly setRequestLogLimits: RemoteHandle['setRequestLogLimits'] = this.#remote.setRequestLogLimits
  readonly auditClients: RemoteHandle['auditClients'] = this.#remote.auditClients
  readonly activeRequests: RemoteHandle['activeRequests'] = this.#remote.activeRequests
  readonly reset: RemoteHandle['reset'] = this.#remote.reset

  constructor(started: StartedTestContainer, controlToken: string | undefined) {
    super(started)
    this.#controlToken = controlToken
  }

  /** Base URL without `/v1`, as seen from this process. Changes after `restart()`. */
  get url(): string {
    return `http://${this.getHost()}:${this.getMappedPort(EMULATOR_PORT)}`
  }

  /** Base URL of the control API, including `/__emulator`. */
  get controlUrl(): string {
    return `${this.url}/__emulator`
  }
}

/** Loads the module `testcontainers`. Returns undefined if it is not installed. */
function loadTestcontainers(): typeof Testcontainers | undefined {
  try {
    // The cast is safe, because the range of the peer dependency includes only versions with these types.
    return createRequire(import.meta.url)('testcontainers') as typeof Testcontainers
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}
