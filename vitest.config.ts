import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { createTierReporter } from './tests/tiers/tier-reporter.ts'
import { TIERS } from './tests/tiers/tiers.ts'

const USES_K6: ReadonlySet<string> = new Set(['k6', 'docs', 'shipping'])

// Node compiles each module once for all workers, and for the programs that they start.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled-tests', import.meta.url))

export default defineConfig({
  test: {
    projects: TIERS.map(({ name, include, exclude }, position) => ({
      extends: true,
      test: {
        name,
        include: [...include],
        exclude: [...exclude],
        // Tiers run one after another, because tests that start k6 or a browser would slow down the others.
        sequence: { groupOrder: position },
        // Test files share imported modules, because loading them again for each file would take longer than many tests.
        ...(['unit', 'integration', 'suite'].includes(name) ? { isolate: false } : {}),
        ...(name === 'unit'
          ? {
              maxWorkers: availableParallelism(), // By default vitest leaves one core idle, which is half of a machine with two cores.
              setupFiles: ['tests/tiers/forbid-sockets-and-processes.ts', 'tests/tiers/fix-generated-inputs.ts'],
            }
          : {}),
        // Tests that generate inputs read this variable.
        ...(name === 'nightly' ? { env: { TOUCHSTONE_LONG: '1' }, testTimeout: 1_800_000 } : {}),
        ...(USES_K6.has(name) ? { globalSetup: ['tests/temporary-directory.ts', 'tests/tiers/build-k6.ts'] } : {}),
        // More workers than cores, because these tests wait for servers and processes.
        ...(name === 'integration' ? { maxWorkers: availableParallelism() + 4 } : {}),
        ...(name === 'suite' || name === 'nightly' ? { maxWorkers: availableParallelism() + 2 } : {}),
        // Load runs and installations wait most of the time, so two files run at once.
        ...(name === 'k6' || name === 'shipping' ? { maxWorkers: 2 } : {}),
      },
    })),
    // Node runs the sources as the programs do, without a transformation by Vite, which would take a quarter of the time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: 'tests/temporary-directory.ts',
    // Only a hang exceeds this timeout, not a slow machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', createTierReporter(process.env)],
    // Coverage of code that runs in the process of a test. Programs that tests start are not measured, so cli/ is
    // excluded.
    coverage: {
      include: ['{common,contract,emulator,conformance,load,reports,scenarios}/**/*.ts'],
      exclude: ['**/*.test.ts', '**/testing/**', '**/*.d.ts', 'scenarios/*.ts'],
      // Totals of each folder, and the files with lines that no test runs.
      reporter: [['text', { skipFull: true }], 'html'],
      reportsDirectory: 'coverage/tests', // Separate from the directory of the mutation tests, which delete it.
      reportOnFailure: true,
    },
  },
})
