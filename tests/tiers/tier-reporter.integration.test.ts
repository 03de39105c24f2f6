import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const REPORTER = fileURLToPath(new URL('tier-reporter.ts', import.meta.url))

const CONFIG = `
import { createTierReporter } from ${JSON.stringify(REPORTER)}
export default { test: { globals: true, reporters: [createTierReporter(process.env)] } }
`

/** A test file with a passing test, and with a test that is skipped because this machine lacks a program. */
const TESTS = `
test('runs', () => undefined)
test('needs a browser', (context) => context.skip('Chromium is not installed'))
describe('with a hook', () => {
  beforeEach((context) => context.skip(true, 'Go is not installed'))
  test.each([1, 2])('needs Go: %i', () => undefined)
})
test.skip('is left out by its author', () => undefined)
`

const REASONS = `
Skipped, because this machine lacks something
  1 test: Chromium is not installed
  2 tests: Go is not installed
`

test('with TOUCHSTONE_NOTHING_LEFT_OUT=1, a test skipped with a reason fails the run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-reporter-'))
  writeFileSync(join(folder, 'vitest.config.js'), CONFIG)
  writeFileSync(join(folder, 'some.test.js'), TESTS)
  const env = { PATH: process.env['PATH'], TOUCHSTONE_NOTHING_LEFT_OUT: '1' }
  const run = promisify(execFile)(process.execPath, [VITEST, 'run'], { cwd: folder, env })
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      `${REASONS}TOUCHSTONE_NOTHING_LEFT_OUT=1 allows no skipped test: this run has failed.\n`,
    ),
  })
})
