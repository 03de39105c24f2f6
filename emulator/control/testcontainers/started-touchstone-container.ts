import type * as Testcontainers from 'testcontainers'
import type { StartedTestContainer } from 'testcontainers'
import type { NewAccount } from '../../emulator-handle.ts'
import { createRemoteHandle, type RemoteFaults, type RemoteHandle } from './remote-emulator.ts'

// An optional peer: who wants no containers has it not, and is told so instead of being shown what was looked up where.
const loaded = await import('testcontainers').catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
  throw error
})
if (loaded === undefined) {
  throw new Error(
    'touchstone/testcontainers needs the package testcontainers: run npm install --save-dev testcontainers',
  )
}

/** What testcontainers exports. */
export const testcontainers: typeof Testcontainers = loaded

/** The port that the emulator listens on inside of its container; for others in its network. */
export const EMULATOR_PORT = 8080

/** A running container with an emulator. Its methods are those of an emulator in this process, but have to be awaited. */
export class StartedTouchstoneContainer extends testcontainers.AbstractStartedContainer implements RemoteHandle {
  readonly #remote: RemoteHandle
  readonly keys: RemoteHandle['keys']
  readonly faults: RemoteFaults

  constructor(started: StartedTestContainer, controlToken: string | undefined) {
    super(started)
    this.#remote = createRemoteHandle(() => ({ url: this.controlUrl, token: controlToken }))
    this.keys = this.#remote.keys
    this.faults = this.#remote.faults
  }

  /** Base address without `/v1`, as seen from this process. Another one after `restart()`. */
  get url(): string {
    return `http://${this.getHost()}:${this.getMappedPort(EMULATOR_PORT)}`
  }

  /** The control interface, up to and with `/__emulator`. */
  get controlUrl(): string {
    return `${this.url}/__emulator`
  }

  /** A fresh account that nobody else uses. @throws Error with one sentence when its terms cannot be */
  createAccount(terms: NewAccount): ReturnType<RemoteHandle['createAccount']> {
    return this.#remote.createAccount(terms)
  }

  /** The sums of a standard account, or of one that was created here, in units of 0.0001 credit; else undefined. */
  balance(key: string): ReturnType<RemoteHandle['balance']> {
    return this.#remote.balance(key)
  }

  /** The verdict on the client that uses this key, or on all clients. */
  conduct(key?: string): ReturnType<RemoteHandle['conduct']> {
    return this.#remote.conduct(key)
  }

  /** How many requests are being answered now. */
  requestsUnderWay(): Promise<number> {
    return this.#remote.requestsUnderWay()
  }

  /** Forgets created accounts, added faults and all that was recorded; the standard accounts have their first balance again. */
  reset(): Promise<void> {
    return this.#remote.reset()
  }
}
