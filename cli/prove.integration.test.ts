import { expect, test } from 'vitest'
import { runCli } from './testing/run-cli.ts'

const CASES: [what: string, args: string[], exitCode: number, said: RegExp][] = [
  [
    'a mutant that is caught',
    ['--only', '2.3/created-in-ms'],
    0,
    /PROVEN \(only 2\.3\/created-in-ms\)\n1 of 1 mutant /,
  ],
  [
    'two mutants separated by a comma',
    ['--only', '2.3/created-in-ms,4.4/text-for-file'],
    0,
    /PROVEN \(only 2\.3\/created-in-ms, 4\.4\/text-for-file\)\n2 of 2 mutants /,
  ],
  [
    'an unknown mutant',
    ['--only', '1/nothing'],
    2,
    /^No mutant has the ID "1\/nothing"\. Use an ID such as \S+\. --list shows all mutants\./,
  ],
  ['an unknown flag', ['--bogus'], 2, /^Unknown option '--bogus'\. See npm run prove -- --help\.\n$/],
  [
    'an output directory that cannot be created',
    ['--out', '/dev/null/x'],
    2,
    /^--out \/dev\/null\/x cannot be written \(ENOTDIR\)/,
  ],
  ['--list', ['--list'], 0, /^1\/models-not-offered: the list of models does not exist\n {4}1\/models-offered\n/],
]

test.each(CASES)('prove exits with the documented code for %s', async (_what, args, exitCode, received) => {
  const run = await runCli(['prove', ...args])
  expect(run.stdout + run.stderr).toMatch(received)
  expect(run.exitCode).toBe(exitCode)
})
