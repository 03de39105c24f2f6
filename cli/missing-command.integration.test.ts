import { expect, test } from 'vitest'
import { runCli } from './testing/run-cli.ts'

test('exits with 2 without a command, and with 0 if the user asks for help', async () => {
  const missing = await runCli([])
  expect([missing.exitCode, missing.stdout, missing.stderr]).toEqual([
    2,
    '',
    expect.stringContaining('Usage: touchstone'),
  ])
  const requested = await runCli(['help'])
  expect([requested.exitCode, requested.stderr]).toEqual([0, ''])
  expect(requested.stdout).toContain('Usage: touchstone')
})
