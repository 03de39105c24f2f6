import { expect, test } from 'vitest'
import { runCli } from './testing/run-cli.ts'

const CASES: [what: string, args: string[], exitCode: number, said: RegExp][] = [
  [
    'two mutants separated by a comma',
    ['--only', '2.3/created-in-ms,4.4/text-for-file'],
    0,
    /PROVEN \(only 2\.3\/created-in-ms, 4\.4\/text-for-file\)\n2 of 2 mutants /,
  ],
  ['--list', ['--list'], 0, /^1\/models-not-offered: the list of models does not exist\n {4}1\/models-offered\n/m],
]

test.each(CASES)('prove exits with the documented code for %s', async (_what, args, exitCode, received) => {
  const run = await runCli(['prove', ...args])
  expect(run.stdout + run.stderr).toMatch(received)
  expect(run.exitCode).toBe(exitCode)
})
