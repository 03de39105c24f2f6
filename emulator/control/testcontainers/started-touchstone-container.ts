import { createRequire } from 'node:module'
import type * as Testcontainers from 'testcontainers'
import type { StartedTestContainer } from 'testcontainers'
import type { NewAccount } from '../../emulator-handle.ts'
import { createRemoteHandle, type RemoteFaults, type RemoteHandle } from './remote-emulator.ts'

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
  readonly #remote: RemoteHandle
  readonly keys: RemoteHandle['keys']
  readonly faults: RemoteFaults
  readonly fixtures: RemoteHandle['fixtures']

  constructor(started: StartedTestContainer, controlToken: string | undefined) {
    super(started)
    this.#remote = createRemoteHandle(() => ({ url: this.controlUrl, token: controlToken }))
    this.keys = this.#remote.keys
    this.faults = this.#remote.faults
    this.fixtures = this.#remote.fixtures
  }

  /** Base URL without `/v1`, as seen from this process. Changes after `restart()`. */
  get url(): string {
    return `http://${this.getHost()}:${this.getMappedPort(EMULATOR_PORT)}`
  }

  /** Base URL of the control API, including `/__emulator`. */
  get controlUrl(): string {
    return `${this.url}/__emulator`
  }

  /**
   * Creates an account. Generates a key if none is given.
   * @throws Error if the credits, the key or the rate limit are invalid
   */
  createAccount(options: NewAccount): ReturnType<RemoteHandle['createAccount']> {
    return this.#remote.createAccount(options)
  }

  /**
   * Returns the balance of a standard account, or of an account that this handle created, in units of 0.0001 credit.
   * Resolves to undefined for other keys.
   */
  balance(key: string): ReturnType<RemoteHandle['balance']> {
    return this.#remote.balance(key)
  }

  /**
   * Adds credits to a standard account, or to an account that this handle created.
   * @throws Error if the key is unknown or the amount is invalid
   */
  addCredits(key: string, credits: string): ReturnType<RemoteHandle['addCredits']> {
    return this.#remote.addCredits(key, credits)
  }

  /**
   * Sets the available credits of a standard account, or of an account that this handle created.
   * @throws Error if the key is unknown or the amount is invalid
   */
  setCredits(key: string, credits: string): ReturnType<RemoteHandle['setCredits']> {
    return this.#remote.setCredits(key, credits)
  }

  /** Returns the request log of one API key, or of all clients if no key is given. */
  requests(key?: string): ReturnType<RemoteHandle['requests']> {
    return this.#remote.requests(key)
  }

  /** Returns the client audit report of one API key, or of all clients if no key is given. */
  auditClients(key?: string): ReturnType<RemoteHandle['auditClients']> {
    return this.#remote.auditClients(key)
  }

  /** Returns the number of requests in progress. */
  activeRequests(): Promise<number> {
    return this.#remote.activeRequests()
  }

  /** Removes created accounts, added faults, added fixtures and all records. Restores the standard accounts. */
  reset(): Promise<void> {
    return this.#remote.reset()
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
