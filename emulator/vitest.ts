import { expect, test, type TestAPI } from 'vitest'
import { formatAuditReport } from './observability/client-audit/findings.ts'
import { createEmulator, type InProcessEmulator, type InstanceOptions } from './create-emulator.ts'
import type { Handle } from './emulator-handle.ts'
import type { Emulator, EmulatorOptions } from './start-emulator.ts'

/** What a test is given. Nothing of it is shared with another test, in whatever order or beside whatever others it runs. */
export interface EmulatorFixtures<Kind extends Handle> {
  /** An emulator of this test's own: its answers depend on this test alone. */
  readonly emulator: Kind
  /** A key of an account of this test's own. */
  readonly key: string
}

/** What the account of a test has. */
export interface AccountOptions {
  /** Decimal string. Default: 1000 credits. */
  readonly credits?: string
}

const USUAL_CREDITS = '1000'

/** A `test` whose emulator is called through its `fetch`: no port, no network. */
export function emulatorTest(
  options: InstanceOptions & AccountOptions = {},
): TestAPI<EmulatorFixtures<InProcessEmulator>> {
  const { credits, ...settings } = options
  return withFixtures(credits, () => Promise.resolve(createEmulator(settings)))
}

/** A `test` whose emulator listens on a free port of this machine, for what has to be given a URL. */
export function emulatorServerTest(
  options: EmulatorOptions & AccountOptions = {},
): TestAPI<EmulatorFixtures<Emulator>> {
  const { credits, ...settings } = options
  return withFixtures(credits, async () => {
    const { startEmulator } = await import('./start-emulator.ts') // the server is loaded only where it is wanted
    return startEmulator(settings)
  })
}

function withFixtures<Kind extends Handle & { close(): Promise<void> }>(
  credits: string = USUAL_CREDITS,
  begin: () => Promise<Kind>,
): TestAPI<EmulatorFixtures<Kind>> {
  return test.extend<EmulatorFixtures<Kind>>({
    // Vitest reads the names of needed fixtures off the pattern: an empty one needs none.
    // oxlint-disable-next-line no-empty-pattern -- see above
    emulator: async ({}, use) => {
      const emulator = await begin()
      await use(emulator)
      await emulator.close()
    },
    key: async ({ emulator }, use) => use(emulator.createAccount({ credits }).key),
  })
}

declare module 'vitest' {
  interface Matchers<T> {
    /**
     * Passes when no client did anything wrong, or not the one that uses `key`. Fails, also with `.not`, where nothing can
     * be said yet: no request came in, or one is still being answered.
     */
    toHaveCleanConduct(key?: string): T extends Pick<Handle, 'conduct'> ? void : never
  }
}

expect.extend({
  toHaveCleanConduct(emulator: Pick<Handle, 'conduct' | 'requestsUnderWay'>, key?: string) {
    const conduct = emulator.conduct(key)
    const underWay = emulator.requestsUnderWay()
    if (underWay > 0) {
      throw new Error(`${underWay} request(s) are still being answered: read every answer to its end, then ask again.`)
    }
    if (conduct.requests === 0) {
      throw new Error('No request came in, so that there is no conduct to judge. Does the client use this emulator?')
    }
    return {
      pass: conduct.clean,
      message: () =>
        conduct.clean
          ? `expected a fault in the conduct of ${conduct.requests} request(s), and there is none`
          : formatAuditReport(conduct),
    }
  },
})
