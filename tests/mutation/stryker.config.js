import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What is mutated: where a wrong sum or a wrong verdict would cost money, or let a bad target through. */
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
  // Outside the repository: its copy holds tests, which a vitest of the repository would run.
  tempDirName: join(tmpdir(), 'touchstone-mutation'),
  ignorePatterns: ['.cache', 'coverage', 'dist', 'examples', 'touchstone-report', '*.tgz'],
  // The copy needs no other configuration of the compiler: Vite strips the types.
  tsconfigFile: 'none',
  concurrency: 2,
  // On a busy machine a test that notices nothing may be slow: that must not count as noticed.
  timeoutMS: 30_000,
  // Types are stripped, not checked: there is nothing to switch off.
  disableTypeChecks: false,
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  htmlReporter: { fileName: 'coverage/mutation/mutation.html' },
  jsonReporter: { fileName: 'coverage/mutation/mutation.json' },
  allowConsoleColors: false,
  thresholds: { high: 95, low: 90, break: 90 },
}
