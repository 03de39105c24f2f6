import { defineConfig } from 'vitest/config'

/**
 * Runs the tests next to the mutated code. Excludes tests of whole programs, because they take long to catch a mutant.
 */
// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default defineConfig({
  test: {
    // Only a hang exceeds this timeout, not a slow machine. Stryker terminates a mutant that hangs.
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
