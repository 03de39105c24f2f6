import { defineConfig } from 'vitest/config'
import { leftOutReporter } from './tests/left-out-reporter.ts'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // A hang, and not a slow machine, is what ends a test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', leftOutReporter(process.env)],
  },
})
