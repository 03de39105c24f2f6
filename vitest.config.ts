import { defineConfig } from 'vitest/config'
import { leftOutReporter } from './tests/left-out-reporter.ts'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    reporters: ['default', leftOutReporter(process.env)],
  },
})
