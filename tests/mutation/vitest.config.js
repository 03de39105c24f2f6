import { defineConfig } from 'vitest/config'

/** The tests beside the code that is mutated: what only a test of a whole program notices is noticed too late. */
// oxlint-disable-next-line import/no-default-export -- this is where vitest looks
export default defineConfig({
  test: {
    // A hang, and not a slow machine, is what ends a test; of a change that hangs, stryker ends it.
    testTimeout: 60_000,
    include: [
      'emulator/state/ledger.test.ts',
      'emulator/state/ledger-log.test.ts',
      'emulator/state/limits/*.test.ts',
      'conformance/http/sse-reader.test.ts',
      'conformance/engine/rules.test.ts',
      'conformance/engine/known-failures.test.ts',
      'load/verdict/*.test.ts',
    ],
  },
})
