import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

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

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-reporter-'))
  writeFileSync(join(folder, 'vitest.config.js'), CONFIG)
  writeFileSync(join(folder, 'some.test.js'), TESTS)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs {@link TESTS} with vitest in a separate process. */
function runTests(args: readonly string[], env: Readonly<Record<string, string>>) {
  const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env } }
  return new Promise<{ exitCode: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, [VITEST, 'run', ...args], options, (error, stdout) => {
      resolve({ exitCode: error === null ? 0 : error.code, stdout })
    })
  })
}

const REASONS = `
Skipped, because this machine lacks something
  1 test: Chromium is not installed
  2 tests: Go is not installed
`

test('lists tests that are skipped with a reason without failing the run', async () => {
  const { exitCode, stdout } = await runTests([], {})
  expect(stdout).toContain(REASONS)
  expect(exitCode).toBe(0)
})

test('with TOUCHSTONE_NOTHING_LEFT_OUT=1, a test skipped with a reason fails the run', async () => {
  const { exitCode, stdout } = await runTests([], { TOUCHSTONE_NOTHING_LEFT_OUT: '1' })
  expect(stdout).toContain(`${REASONS}TOUCHSTONE_NOTHING_LEFT_OUT=1 allows no skipped test: this run has failed.\n`)
  expect(exitCode).toBe(1)
})

test('with TOUCHSTONE_NOTHING_LEFT_OUT=1, a test excluded by its author or by the caller does not fail the run', async () => {
  const { exitCode, stdout } = await runTests(['-t', 'runs|author'], { TOUCHSTONE_NOTHING_LEFT_OUT: '1' })
  expect(stdout).not.toContain('Skipped')
  expect(exitCode).toBe(0)
})
