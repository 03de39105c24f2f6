import { defineConfig } from 'vitest/config'
import { coverageReporter } from './tests/coverage-reporter.ts'
import { leftOutReporter } from './tests/left-out-reporter.ts'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: 'tests/temporary-directory.ts',
    // A hang, and not a slow machine, is what ends a test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', leftOutReporter(process.env), coverageReporter(import.meta.dirname)],
    // Of what runs in the process of a test: programs that tests start are not seen, so cli/ is left out.
    coverage: {
      include: ['{contract,emulator,conformance,reports,scenarios}/**/*.ts'],
      exclude: ['**/*.test.ts', '**/testing/**', '**/*.d.ts', 'scenarios/*.ts'],
      reporter: ['html'],
      reportsDirectory: 'coverage/tests', // beside that of the mutation tests, which would be cleaned away
      reportOnFailure: true,
    },
  },
})
