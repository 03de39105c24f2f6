import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mutated files: those in which an incorrect sum or verdict would cost money or accept a defective target. */
const CORE = [
  'emulator/state/ledger.ts',
  'emulator/state/ledger-log.ts',
  'emulator/observability/ledger-audit.ts',
  'emulator/state/limits/*.ts',
  'conformance/http/sse-reader.ts',
  'conformance/engine/verdict.ts',
  'load/verdict/*.ts',
]

// oxlint-disable-next-line import/no-default-export -- this is where stryker looks
export default {
  mutate: [...CORE, '!**/*.test.ts'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'tests/mutation/vitest.config.js' },
  coverageAnalysis: 'perTest',
  // Outside the repository. Otherwise, vitest would also run the tests in Stryker's copy.
  tempDirName: join(tmpdir(), 'touchstone-mutation'),
  ignorePatterns: ['.cache', 'coverage', 'dist', 'examples', 'touchstone-report', '*.tgz'],
  // Stryker's copy needs no compiler configuration, because Vite strips the types.
  tsconfigFile: 'none',
  concurrency: 2,
  // A timeout counts as a caught mutant, so it must exceed the duration of a test on a busy machine.
  timeoutMS: 30_000,
  // Types are stripped and not checked, so there are no type checks to disable.
  disableTypeChecks: false,
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  htmlReporter: { fileName: 'coverage/mutation/mutation.html' },
  jsonReporter: { fileName: 'coverage/mutation/mutation.json' },
  allowConsoleColors: false,
  thresholds: { high: 95, low: 90, break: 90 },
}
