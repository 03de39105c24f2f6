import { expect, test, type TestAPI } from 'vitest'
import { formatAuditReport } from './observability/client-audit/findings.ts'
import { createEmulator, type InProcessEmulator, type InstanceOptions } from './create-emulator.ts'
import type { ClientOptions, EmulatorHandle } from './emulator-handle.ts'
import { MAX_KEPT_BODY_BYTES } from './observability/request-record.ts'
import type { Emulator, EmulatorOptions } from './start-emulator.ts'

/** Vitest fixtures that give every test its own emulator. */
export interface EmulatorFixtures<Kind extends EmulatorHandle> {
  /** Emulator that only this test uses. */
  readonly emulator: Kind
  /** API key of an account that only this test uses. */
  readonly key: string
  /** Options that connect an SDK to this emulator with this key, for example `new OpenAI(clientOptions)`. */
  readonly clientOptions: ClientOptions
}

/** Options of the account that a test uses. */
export interface AccountOptions {
  /** Credits as a decimal string. Default: 1000. */
  readonly credits?: string
}

const DEFAULT_CREDITS = '1000'

function keepBodies<Options extends InstanceOptions>(options: Options): Options {
  return { ...options, requestLog: { bodies: MAX_KEPT_BODY_BYTES, ...options.requestLog } }
}

/**
 * Creates a `test` function whose tests have an in-process emulator, which they call through `emulator.fetch`. The
 * request log keeps up to 64 KiB of each body, unless the option `requestLog` sets another limit.
 */
export function emulatorTest(
  options: InstanceOptions & AccountOptions = {},
): TestAPI<EmulatorFixtures<InProcessEmulator>> {
  const { credits, ...settings } = options
  return withFixtures(credits, () => Promise.resolve(createEmulator(keepBodies(settings))))
}

/**
 * Creates a `test` function whose tests have an emulator on a free port, for code that needs a URL. The request log
 * keeps bodies like that of `emulatorTest`.
 */
export function emulatorServerTest(
  options: EmulatorOptions & AccountOptions = {},
): TestAPI<EmulatorFixtures<Emulator>> {
  const { credits, ...settings } = options
  return withFixtures(credits, async () => {
    const { startEmulator } = await import('./start-emulator.ts') // Imports Fastify only if a test needs a server.
    return startEmulator(keepBodies(settings))
  })
}

type OwnedEmulator = EmulatorHandle & { clientOptions(key?: string): ClientOptions; close(): Promise<void> }

function withFixtures<Kind extends OwnedEmulator>(
  credits: string = DEFAULT_CREDITS,
  start: () => Promise<Kind>,
): TestAPI<EmulatorFixtures<Kind>> {
  return test.extend<EmulatorFixtures<Kind>>({
    // Vitest derives the required fixtures from the destructuring pattern.
    // oxlint-disable-next-line no-empty-pattern -- see above
    emulator: async ({}, use) => {
      const emulator = await start()
      await use(emulator)
      await emulator.close()
    },
    key: async ({ emulator }, use) => use(emulator.createAccount({ credits }).key),
    clientOptions: async ({ emulator, key }, use) => use(emulator.clientOptions(key)),
  })
}

// Extends an interface of Chai, because the type parameters of vitest's `Matchers` differ between versions 4 and 5, and
// both extend this interface.
declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Chai declares its types in a namespace
  namespace Chai {
    interface Assertion {
      /**
       * Passes if the client audit has no findings, about any client or about the client that uses `key`. The value
       * must be an emulator. Fails, even with `.not`, if no request has been sent or a request is in progress.
       */
      toHaveNoClientFindings(key?: string): void
    }
  }
}

function checkFindings(emulator: Pick<EmulatorHandle, 'auditClients' | 'activeRequests'>, key?: string) {
  const report = emulator.auditClients(key)
  const active = emulator.activeRequests()
  if (active > 0) {
    throw new Error(`${active} request(s) are still in progress. Read every response to its end before this assertion.`)
  }
  if (report.requests === 0) {
    throw new Error('There was no request, so there is nothing to check. Check that the client uses this emulator.')
  }
  return {
    pass: report.clean,
    message: () =>
      report.clean
        ? `expected client findings in ${report.requests} request(s), but there are none`
        : formatAuditReport(report),
  }
}

expect.extend({ toHaveNoClientFindings: checkFindings })
